(() => {
  const problems = [];
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = color => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = rgba(getComputedStyle(e).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const luminance = color => {
    const [r, g, b] = color.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (hi + 0.05) / (lo + 0.05);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("svg, .visually-hidden, .skip, [inert], .slot:not(.has)") || !element.checkVisibility({ visibilityProperty: true })) continue;
    const ratio = contrast(rgba(getComputedStyle(element).color), behind(element));
    if (ratio < 4.5) problems.push(ratio.toFixed(2) + " is too low a contrast of " + JSON.stringify(node.data.trim()) + " in " + element.className + " " + element.localName);
  }
  for (const e of document.querySelectorAll("button, a, [role=img], [role=region], [role=group], section, nav, article")) {
    if (e.closest("[inert]")) continue;
    const by = e.getAttribute("aria-labelledby");
    const name = (by ? document.getElementById(by)?.textContent : e.getAttribute("aria-label") ?? (/^(BUTTON|A)$/.test(e.tagName) ? e.textContent : "")) ?? "";
    if (!name.trim() && !e.classList.contains("free")) problems.push("no name: " + e.outerHTML.slice(0, 120));
  }
  for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) problems.push("no alt: " + e.outerHTML);
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) problems.push("id used twice: " + id);
  return [...new Set(problems)];
})()
