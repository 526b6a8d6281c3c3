import { answerNodes } from './answer-text.js'
import { element } from './element.js'
import { verdictCard } from './verdict-card.js'

/** Distance from the end, in pixels, within which the view follows what is added. */
const NEAR = 120

/** Shows a conversation in `log`, which scrolls in `scroller`. `onPress` is told the button that a person pressed. */
export function createConversationView(log, scroller, onPress) {
  /** The answer that pieces of text still join. */
  let answer
  let cards = new Map()
  /** The person's messages so far. */
  let messages = 0

  /** Keeps the end in view while something changes, where it was in view before. */
  function follow(change) {
    const follows = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR
    change()
    if (follows) scroller.scrollTop = scroller.scrollHeight
  }

  const add = (...made) => follow(() => log.append(...made))

  function endAnswer() {
    answer?.end()
    answer = undefined
  }

  function addCard({ card, buttons }, isLive) {
    const earlier = cards.get(card.requestHash)
    const shown = cardAfter(earlier, card, messages, buttons, onPress)
    cards.set(card.requestHash, shown)
    if (earlier === undefined) return add(shown.element)
    if (isLive && shown.messages < messages) {
      earlier.element.replaceWith(shown.element)
      pointAt(shown.element)
    } else follow(() => earlier.element.replaceWith(shown.element))
  }

  return {
    follow,
    /** A message of the person. Returns what marks it as not sent, with a way to try again. */
    addSaid(text) {
      endAnswer()
      messages += 1
      const made = element('div', 'said', text)
      add(made)
      scroller.scrollTop = scroller.scrollHeight
      return (why, retry) => offerRetry(made, why, retry)
    },
    /** What came from the harness. `isLive` where it came just now, and is not shown after a reload. */
    addOutbound(message, isLive) {
      if (message.type === 'text') {
        return follow(() => {
          answer ??= createAnswer(log)
          answer.add(message.text)
        })
      }
      endAnswer()
      if (message.type === 'verdict') addCard(message, isLive)
      else if (message.type === 'status') add(element('div', 'note', message.text))
      else if (message.type === 'picture') add(picture(message))
      else if (message.type === 'error') add(element('div', 'note error', message.text))
    },
    clear() {
      endAnswer()
      cards = new Map()
      messages = 0
      log.replaceChildren()
    },
  }
}

/** An answer that grows. It is read aloud when it is whole. */
function createAnswer(log) {
  const made = element('div', 'answer')
  made.setAttribute('aria-busy', 'true')
  log.append(made)
  let whole = ''
  return {
    add(text) {
      whole += text
      made.replaceChildren(...answerNodes(whole))
    },
    end() {
      made.removeAttribute('aria-busy')
    },
  }
}

/** The card that takes an earlier one's place. Asked for again, a verdict says nothing of the execution told before. */
function cardAfter(earlier, card, messages, buttons, onPress) {
  const whole = { ...card, execution: card.execution ?? earlier?.card.execution ?? null }
  const made = verdictCard(whole, whole.execution ? [] : buttons, onPress)
  const details = made.querySelector('details')
  if (details) details.open = earlier?.element.querySelector('details')?.open ?? false
  return { element: made, card: whole, messages: earlier?.messages ?? messages }
}

function picture({ title, png }) {
  const made = element('img', 'picture')
  made.alt = title
  made.src = `data:image/png;base64,${png}`
  return made
}

function pointAt(card) {
  card.scrollIntoView({ block: 'center' })
  card.classList.add('shown-again')
}

function offerRetry(said, why, retry) {
  said.classList.add('failed')
  const button = element('button', 'retry quiet', `${why} Try again`)
  button.type = 'button'
  button.addEventListener('click', () => {
    button.remove()
    said.classList.remove('failed')
    retry()
  })
  said.after(button)
}
