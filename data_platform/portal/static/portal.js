// Adds to pages that work without it: times in the viewer's zone, the switch of the theme, and charts.
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

function ready(root) {
  localizeTimes(root);
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
ready(document);
