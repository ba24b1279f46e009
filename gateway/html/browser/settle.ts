/** A button with two states, as the page shows it. */
export interface Switch {
  /** Returns the path of the action that leads to the state that is shown. */
  readonly wanted: () => string;
  /** Shows the opposite state. */
  readonly flip: () => void;
  /** Returns undefined if the server has done the action, the refusal in words otherwise. */
  readonly send: (action: string) => Promise<string | undefined>;
}

/**
 * Sends actions until the server has the state that is shown: a person may press the button again before the answer
 * arrives. The opposite action follows a refusal too, because a lost answer looks like one. Shows the last state that the
 * server has confirmed if it refuses the last action, and returns the refusal.
 */
export async function settle({ wanted, flip, send }: Switch): Promise<string | undefined> {
  const first = wanted();
  let done: string | undefined;
  for (;;) {
    const sent = wanted();
    const refusal = await send(sent);
    if (refusal === undefined) done = sent;
    if (wanted() !== sent) continue;
    const isConfirmed = done === undefined ? sent !== first : sent === done;
    if (!isConfirmed) flip();
    return refusal;
  }
}
