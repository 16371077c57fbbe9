"use strict";
(() => {
  // A picture is a link to itself, which the browser shows as large as one likes.
  function link(image) {
    if (image.closest("a")) return;
    const around = document.createElement("a");
    around.className = ["zoom", ...image.classList].join(" ");
    around.href = image.src;
    image.replaceWith(around);
    around.append(image);
  }

  // What scrolls sideways shows it, and is reached by the keyboard.
  const WIDE = ".pst-scrollable-table-container, .output.text_html, .highlight pre, .output pre, mjx-container[display]";
  function reach() {
    for (const box of document.querySelectorAll(WIDE)) {
      const cut = box.scrollWidth > box.clientWidth;
      box.classList.toggle("cut", cut);
      if (cut) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".bd-article img").forEach(link);
    reach();
    addEventListener("resize", reach);
    addEventListener("load", reach);
    document.addEventListener("toggle", reach, true);
    if (window.MathJax && MathJax.startup) MathJax.startup.promise.then(reach);
  });
})();
