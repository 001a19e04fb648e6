// Moves and zooms graphs: by dragging, with two fingers, with Ctrl and the wheel, by buttons, and by keys.
"use strict";

function startGraph(graph) {
  const box = graph.querySelector(".graph-box"), svg = box.querySelector("svg"), sheet = svg.querySelector(".sheet");
  if (typeof Panzoom === "undefined") return;
  const full = { width: svg.width.baseVal.value, height: svg.height.baseVal.value };
  const height = Math.min(full.height, Math.max(300, innerHeight * 0.68));
  svg.removeAttribute("viewBox");
  svg.setAttribute("width", "100%");
  svg.setAttribute("height", height);
  box.classList.add("movable");
  const view = Panzoom(sheet, { canvas: true, minScale: 0.1, maxScale: 3, touchAction: "pan-y", cursor: "" });

  function show(scale, x, y) {
    view.zoom(scale, { animate: false });
    view.pan(box.clientWidth / 2 / scale - x, height / 2 / scale - y, { animate: false });
  }
  function centre(node, scale) {
    const [, x, y] = node.getAttribute("transform").match(/translate\((\S+) (\S+)\)/).map(Number);
    show(scale, x + 120, y + 30);
  }
  function fit() {
    const scale = Math.min(1, box.clientWidth / full.width, height / full.height);
    const start = svg.querySelector(".node.start") || svg.querySelector(".node");
    if (scale < 0.5 && start) centre(start, 0.6);
    else show(scale, full.width / 2, full.height / 2);
  }
  function zoom(step) {
    const at = box.getBoundingClientRect();
    const middle = { clientX: at.left + at.width / 2, clientY: at.top + at.height / 2 };
    view.zoomToPoint(view.getScale() * (step > 0 ? 1.3 : 1 / 1.3), middle);
  }

  graph.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
    const step = Number(button.dataset.zoom);
    if (step) zoom(step); else fit();
  }));
  box.addEventListener("wheel", (event) => { if (event.ctrlKey || event.metaKey) view.zoomWithWheel(event); }, { passive: false });
  box.addEventListener("keydown", (event) => {
    const far = 60 / view.getScale(), keys = { ArrowLeft: [far, 0], ArrowRight: [-far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
    if (keys[event.key]) view.pan(...keys[event.key], { relative: true });
    else if (event.key === "+") zoom(1);
    else if (event.key === "-") zoom(-1);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  let pressed = null;
  box.addEventListener("pointerdown", (event) => { pressed = event; }, true);
  box.addEventListener("click", (event) => { // a drag that ends on a box does not open it
    if (pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) > 6) event.preventDefault();
  }, true);
  box.addEventListener("dragstart", (event) => event.preventDefault());
  sheet.addEventListener("focusin", (event) => {
    const node = event.target.closest(".node"), at = node.getBoundingClientRect(), frame = box.getBoundingClientRect();
    const isSeen = at.left >= frame.left && at.right <= frame.right && at.top >= frame.top && at.bottom <= frame.bottom;
    if (!isSeen && event.target.matches(":focus-visible")) centre(node, view.getScale());
    box.scrollTo(0, 0);
  });
  const opened = location.hash.startsWith("#n-") && svg.querySelector(`#${CSS.escape(location.hash.slice(1))}`);
  setTimeout(() => { // Panzoom goes to its own begin first
    fit();
    if (!opened) return;
    if (view.getScale() < 1) centre(opened, Math.max(view.getScale(), 0.75));
    opened.querySelector("a").focus({ preventScroll: true });
  });
}

document.querySelectorAll("[data-graph]").forEach(startGraph);
