// Runs before the page is drawn: the theme that the viewer chose, or that of the system.
document.documentElement.classList.add("scripted");
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* storage is turned off: the system's theme stays */ }
