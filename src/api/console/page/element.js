// Elements are built from text alone: nothing that comes from outside is ever read as markup.

const SVG = 'http://www.w3.org/2000/svg'

const PATHS = {
  check: 'M3 8.5l3.2 3.2L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  dash: 'M4 8h8',
  clock: 'M8 4.5V8l2.4 1.6M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  arrow: 'M3 8h9M8.5 4.5L12 8l-3.5 3.5',
}

/** An element with a class and children; a child is an element or a text. */
export function element(tag, className, ...children) {
  const made = document.createElement(tag)
  if (className) made.className = className
  made.append(...children)
  return made
}

/** One of the page's icons. It says nothing by itself: a text stands beside it, seen or unseen. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('viewBox', '0 0 16 16')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', PATHS[name])
  svg.append(path)
  return svg
}
