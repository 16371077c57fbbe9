"use strict";
// A picture is a link to itself, which the browser shows as large as one likes. What scrolls sideways can be reached by the keyboard.
document.addEventListener("DOMContentLoaded", () => {
  for (const image of document.querySelectorAll(".bd-article img")) {
    if (image.closest("a")) continue;
    const link = document.createElement("a");
    link.className = "zoom";
    link.href = image.src;
    image.replaceWith(link);
    link.append(image);
  }
  for (const box of document.querySelectorAll(".pst-scrollable-table-container, .output.text_html, .highlight pre, .output pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});
