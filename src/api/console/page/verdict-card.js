import { element, icon } from './element.js'

const OUTCOMES = {
  approved: { text: 'Approved', icon: 'check' },
  rejected: { text: 'Rejected', icon: 'cross' },
  pending: { text: 'Waits for a person', icon: 'clock' },
}

const STATUSES = {
  passed: { text: 'passed', icon: 'check' },
  failed: { text: 'failed', icon: 'cross' },
  not_checked: { text: 'not checked', icon: 'dash' },
}

/** The element of a verdict card. `onPress` is told the button that a person pressed. */
export function verdictCard(card, buttons = [], onPress = () => {}) {
  const outcome = OUTCOMES[card.outcome] ?? { text: 'Unknown', icon: 'clock' }
  const made = element('article', `card ${card.outcome in OUTCOMES ? card.outcome : 'pending'}`)
  if (card.execution?.ok === false) made.classList.add('undone')
  made.setAttribute('aria-label', `Verdict: ${outcome.text}. ${card.title}`)
  const badge = element('span', 'badge', icon(outcome.icon), outcome.text)
  const failed = card.checks.filter(({ status }) => status === 'failed')
  const others = card.checks.filter(({ status }) => status !== 'failed')
  made.append(
    element('div', 'card-head', badge, element('h2', '', card.title)),
    element('p', 'reason', card.reason),
    ...(card.lines.length > 0 ? [facts(card.lines)] : []),
    ...(failed.length > 0 ? [checkList(failed)] : []),
    ...(others.length > 0 ? [otherChecks(others)] : []),
    ...(card.execution ? [execution(card.execution)] : []),
    ...(buttons.length > 0 ? [choices(buttons, onPress)] : []),
    foot(card),
  )
  return made
}

function facts(lines) {
  const list = element('dl', 'facts')
  for (const { label, text } of lines) list.append(element('dt', '', label), element('dd', '', ...withHex(text)))
  return list
}

/** Addresses in a text stand out, whole: somebody may compare them. */
function withHex(text) {
  return text.split(/(0x[0-9a-fA-F]{8,})/).map((part, i) => (i % 2 === 1 ? element('span', 'hex', part) : part))
}

function checkList(checks) {
  const list = element('ul', 'checks')
  for (const { id, status, reason } of checks) {
    const known = STATUSES[status] ?? STATUSES.not_checked
    const name = element('span', 'id', nameOf(id))
    const unseen = element('span', 'unseen', ` (${known.text})`)
    const text = element('span', '', name, unseen, ' ', element('span', 'why', reason))
    list.append(element('li', status in STATUSES ? status : 'not_checked', icon(known.icon), text))
  }
  return list
}

function otherChecks(checks) {
  const count = (wanted) => checks.filter(({ status }) => status === wanted).length
  const parts = Object.entries(STATUSES).map(([status, { text }]) => [count(status), text])
  const summary = parts.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`)
  const noun = checks.length === 1 ? 'Check' : 'Checks'
  return element('details', '', element('summary', '', `${noun}: ${summary.join(', ')}`), checkList(checks))
}

function execution({ ok, text, explorerUrl }) {
  const said = element('span', '', text)
  if (explorerUrl?.startsWith('https://')) said.append(' ', explorerLink(explorerUrl))
  return element('p', ok ? 'execution ok' : 'execution', icon(ok ? 'arrow' : 'cross'), said)
}

function explorerLink(url) {
  const link = element('a', '', `See it on ${new URL(url).hostname}`)
  link.href = url
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  return link
}

/** What a person may do. It is asked once: a pressed button takes all of them away, but for one that only tells more. */
function choices(buttons, onPress) {
  const row = element('div', 'choices')
  for (const { id, label, style } of buttons) {
    const button = element('button', style === 'go' ? 'strong' : 'quiet', label)
    button.type = 'button'
    button.addEventListener('click', () => {
      if (style !== 'plain') row.replaceChildren(element('p', 'note', `${label}: asked for.`))
      onPress(id)
    })
    row.append(button)
  }
  return row
}

function foot({ outcome, requestHash, reasonCode, execution: done }) {
  const made = element('div', 'card-foot', hash('Request', requestHash))
  if (done?.txHash) made.append(hash('Transaction', done.txHash))
  if (outcome === 'rejected') made.append(element('p', '', 'Code ', element('span', 'hash', reasonCode)))
  return made
}

function hash(label, whole) {
  const shown = element('span', 'hash', shortened(whole))
  shown.title = whole
  const said = element('span', '', 'Copy')
  const button = element('button', 'copy', icon('copy'), said)
  button.type = 'button'
  button.setAttribute('aria-label', `Copy the ${label.toLowerCase()} hash`)
  button.addEventListener('click', async () => {
    said.textContent = (await copied(whole)) ? 'Copied' : 'Select it'
    if (said.textContent !== 'Copied') shown.textContent = whole
    setTimeout(() => (said.textContent = 'Copy'), 2_000)
  })
  return element('p', '', `${label} `, shown, button)
}

/** A page that is not on this machine and has no TLS has no clipboard. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function shortened(text) {
  return text.length > 20 ? `${text.slice(0, 10)}…${text.slice(-8)}` : text
}

function nameOf(id) {
  return id.replaceAll('_', ' ').replaceAll('-', ' ')
}
