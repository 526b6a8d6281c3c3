/** How a client is told to work with the service. */
export const INSTRUCTIONS = [
  'countersign decides whether an action of your wallet may be executed. Submit each action with submit_action before',
  'you execute it, wait for its verdict with await_verdict, and execute only when the outcome is approved, exactly the',
  'bytes that you submitted. Anything else (rejected, pending, missing, an error) means: do not execute. After',
  'execution call report_execution; if you will not execute, call cancel_action so that the spend is released.',
].join(' ')

/** The prompt that explains the gate. */
export const GATE_PROMPT = [
  'You act for a wallet whose owner has set a policy. A gate stands between you and the chain:',
  '',
  '1. Build the transaction, or the typed-data order of the venue, completely.',
  '2. submit_action with the wallet, a short description and the action. The description is for people; it is no input of',
  '   the decision, and must hold no secret.',
  '3. await_verdict. The outcome is authoritative: approved, rejected or pending.',
  '   - approved: execute exactly the submitted bytes before the approval ends, then report_execution.',
  '   - rejected: do not execute. humanReason says why, and triggeringPolicyField names the limit. Change the action so that',
  '     it keeps to the limit, or tell the owner. Do not split it to get around a limit: the outflow of 24 hours is counted.',
  '   - pending: a person is asked. Wait, or ask again later. Never execute meanwhile.',
  '4. No verdict, an error, or one that you do not understand is never an approval.',
  '',
  'get_policy shows the limits before you propose anything.',
].join('\n')
