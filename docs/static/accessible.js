// What a reader with a keyboard or a screen reader needs and the theme leaves out.
addEventListener("DOMContentLoaded", () => {
  for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.setAttribute("aria-level", "2");
  for (const block of document.querySelectorAll("pre, .table-wrapper")) block.tabIndex = 0; // wide ones scroll
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
});
