/** The element of an id. */
export const $ = (id) => document.getElementById(id)

/** An element with a class and children; a child is an element or a text, never markup. */
export function element(tag, className, ...children) {
  const made = document.createElement(tag)
  if (className) made.className = className
  made.append(...children)
  return made
}

/** Shows some parts of the page and hides others. */
export function show(shown, hidden = []) {
  for (const id of shown) $(id).hidden = false
  for (const id of hidden) $(id).hidden = true
}

/** Says what the page is about now, and moves the reader there. */
export function say(title, lead) {
  $('title').textContent = title
  $('lead').textContent = lead
  $('title').focus()
}

/** Says what went wrong, or that nothing is wrong any more. */
export function complain(text) {
  $('problem').textContent = text ?? ''
  $('problem').hidden = text === undefined
}

/** Lists facts: a name, a text, and its look. The wallet's is filled in when it is known. */
export function listFacts(facts) {
  $('facts').replaceChildren(
    ...facts.flatMap(([name, text, className]) => [element('dt', '', name), element('dd', className ?? '', text)]),
  )
}

/** What stands for the wallet before it is known. */
export const WALLET_FACT = ['For', 'The wallet that you sign with', 'wallet-fact']

/** Says which wallet it is about, from the moment that it is known. */
export function showWallet(address) {
  for (const fact of document.querySelectorAll('.wallet-fact')) {
    fact.textContent = address
    fact.classList.add('mono')
  }
}

/** Lists what a program will be able to do. Words in capitals are to be looked at twice. */
export function listRights(rights) {
  const isBounded = !rights.some((words) => words === words.toUpperCase())
  $('bounds').textContent = isBounded
    ? 'It can never sign, and never get approved what your policy does not allow.'
    : 'It could loosen the limits that protect you. Allow this only to a program that you trust with the whole wallet.'
  $('rights').replaceChildren(
    ...rights.map((words) => {
      const isStrong = words === words.toUpperCase()
      const text = isStrong ? words.toLowerCase() : words
      return element('li', isStrong ? 'strong-right' : '', text.charAt(0).toUpperCase() + text.slice(1))
    }),
  )
}

/** Copies a text, and says so on the button. */
export async function copy(text, button) {
  const before = button.textContent
  await navigator.clipboard.writeText(text)
  button.textContent = 'Copied'
  setTimeout(() => {
    button.textContent = before
  }, 1_500)
}
