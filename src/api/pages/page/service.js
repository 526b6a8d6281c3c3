const API = new URL(document.documentElement.dataset.api ?? './', location.href)

/** What the service said that went wrong, in words for a person. */
export class Refusal extends Error {
  constructor(message, status) {
    super(message)
    this.status = status
  }
}

/** Asks the service; a body is sent as JSON, and a token as a header. */
export async function ask(method, path, { body, token } = {}) {
  const headers = {
    ...(body && { 'content-type': 'application/json' }),
    ...(token && { authorization: `Bearer ${token}` }),
  }
  const options = { method, headers, credentials: 'same-origin', ...(body && { body: JSON.stringify(body) }) }
  let response
  try {
    response = await fetch(new URL(path, API), options)
  } catch {
    throw new Refusal('The service does not answer. Try again in a moment.', 0)
  }
  const text = await response.text()
  const answer = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) throw new Refusal(answer?.detail ?? 'The service refused.', response.status)
  return answer
}
