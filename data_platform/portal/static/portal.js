// Adds to pages that work without it: times in the viewer's zone, the switch of the theme, sorted tables, and charts.
"use strict";

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function localizeTimes(root) {
  const now = new Date();
  for (const element of root.querySelectorAll("time[datetime]:not([data-local])")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const sameYear = moment.getFullYear() === now.getFullYear();
    const day = { month: "short", day: "numeric", ...(sameYear ? {} : { year: "numeric" }) };
    const text = moment.toLocaleString(undefined, { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    element.dataset.local = "";
    element.title = `${element.textContent.trim()} (your time: ${text})`;
    element.textContent = text;
  }
}

function tone(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function drawChart(figure) {
  const plot = figure.querySelector(".plot");
  if (!plot) return;
  const chart = JSON.parse(figure.dataset.chart);
  plot.replaceChildren();
  if (typeof uPlot === "undefined" || chart.days.length < 2) return;
  const isTime = Number.isNaN(Number(chart.days[0]));
  const days = chart.days.map((day) => isTime ? Date.parse(`${day}T00:00:00Z`) / 1000 : Number(day));
  const percent = chart.unit === "share";
  const shown = (_, value) => value == null ? "–" : percent ? `${(100 * value).toFixed(1)} %` : value.toLocaleString();
  const data = [days], series = [{ label: chart.step, value: isTime ? "{YYYY}-{MM}-{DD}" : undefined }], bands = [];
  chart.series.forEach((one, place) => {
    const colour = tone(`--series-${place + 1}`);
    if (one.low.length) {
      data.push(one.high, one.low);
      series.push({ label: "usual to", stroke: tone("--line"), value: shown, points: { show: false } },
                  { label: "usual from", stroke: tone("--line"), value: shown, points: { show: false } });
      bands.push({ series: [series.length - 2, series.length - 1], fill: tone("--due-soft") });
    }
    data.push(one.numbers);
    series.push({ label: one.label, stroke: colour, width: 2, value: shown, dash: place ? [6, 2 + place] : [] });
  });
  const axis = { stroke: tone("--mute"), grid: { stroke: tone("--line"), width: 1 }, ticks: { stroke: tone("--line") } };
  const options = {
    width: Math.max(plot.clientWidth, 240), height: 210, series, bands, tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "UTC"),
    axes: [axis, { ...axis, size: 62, values: (_, ticks) => ticks.map((tick) => percent ? `${+(100 * tick).toFixed(2)} %` : tick.toLocaleString()) }],
    scales: { x: { time: isTime }, y: { range: (_, low, high) => percent ? [Math.max(low - 0.01, 0), Math.min(high + 0.01, 1)] : [0, Math.max(high * 1.1, 1)] } },
  };
  new uPlot(options, data, plot);
}

function drawCharts(root) {
  root.querySelectorAll("figure[data-chart]").forEach(drawChart);
}

function keyOf(row, place) {
  const cell = row.cells[place], text = cell?.textContent.trim() ?? "";
  const time = cell?.querySelector("time[datetime]");
  if (time) return Date.parse(time.dateTime);
  const number = Number(text.replace(/[\s,\u202f%]/g, ""));
  return text === "" || text === "–" ? null : Number.isNaN(number) ? text.toLowerCase() : number;
}

function compare(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  return typeof one === typeof other ? (one > other) - (one < other) : typeof one === "number" ? -1 : 1;
}

function sortBy(table, header, place) {
  const isDown = header.getAttribute("aria-sort") === "ascending";
  table.querySelectorAll("th[aria-sort]").forEach((one) => one.removeAttribute("aria-sort"));
  header.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, place), row]);
  rows.sort(([one], [other]) => one === null || other === null ? compare(one, other) : (isDown ? -1 : 1) * compare(one, other));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function makeSortable(root) {
  for (const table of root.querySelectorAll("table[data-sort]")) {
    delete table.dataset.sort;
    table.querySelectorAll("thead th").forEach((header, place) => {
      if (!header.textContent.trim()) return;
      const button = Object.assign(document.createElement("button"), { type: "button", className: "sort" });
      button.append(...header.childNodes);
      button.addEventListener("click", () => sortBy(table, header, place));
      header.append(button);
    });
  }
}

function markBlank(root) { // a narrow screen shows no label of an empty cell
  root.querySelectorAll("table.stacked td").forEach((cell) => cell.classList.toggle("blank", !cell.textContent.trim()));
}

function nameZone() {
  const place = document.querySelector("[data-zone]");
  if (place) place.textContent = `your zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
}

function ready(root) {
  localizeTimes(root);
  makeSortable(root);
  markBlank(root);
  drawCharts(root);
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-theme-switch]")) return;
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try { localStorage.setItem("theme", next); } catch { /* it is not kept */ }
  drawCharts(document);
});
let resized;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => drawCharts(document), 200); });
document.addEventListener("htmx:afterSettle", (event) => ready(event.target.parentElement ?? document));
nameZone();
ready(document);
