import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../gateway/html/browser/settle.js';

/** A button that was pressed once; the server has not answered yet. */
class Pressed {
  readonly sent: string[] = [];
  wanted = 'favourite';
  #answer: (refusal: string | undefined) => void = () => {};

  readonly refusal = settle({
    wanted: () => this.wanted,
    flip: () => this.press(),
    send: (action) => {
      this.sent.push(action);
      return new Promise((resolve) => {
        this.#answer = resolve;
      });
    },
  });

  press(): void {
    this.wanted = this.wanted === 'favourite' ? 'unfavourite' : 'favourite';
  }

  /** Gives the server's answer to the last action, and returns when the button has taken it. */
  async answer(refusal?: string): Promise<void> {
    this.#answer(refusal);
    await new Promise(setImmediate);
  }
}

test('a button that is pressed once sends one action', async () => {
  const button = new Pressed();
  await button.answer();
  assert.equal(await button.refusal, undefined);
  assert.deepEqual([button.sent, button.wanted], [['favourite'], 'favourite']);
});

test('a button that is pressed again before the answer sends the opposite action after it', async () => {
  const button = new Pressed();
  button.press();
  assert.deepEqual(button.sent, ['favourite']);
  await button.answer();
  assert.deepEqual(button.sent, ['favourite', 'unfavourite']);
  await button.answer();
  assert.equal(await button.refusal, undefined);
  assert.equal(button.wanted, 'unfavourite');
});

test('a button that is back in the state that was sent sends nothing more', async () => {
  const button = new Pressed();
  button.press();
  button.press();
  await button.answer();
  assert.equal(await button.refusal, undefined);
  assert.deepEqual([button.sent, button.wanted], [['favourite'], 'favourite']);
});

test('a refusal shows the old state again', async () => {
  const button = new Pressed();
  await button.answer('You may not');
  assert.equal(await button.refusal, 'You may not');
  assert.deepEqual([button.sent, button.wanted], [['favourite'], 'unfavourite']);
});

test('the opposite action follows a refusal, because a lost answer looks like one', async () => {
  const button = new Pressed();
  button.press();
  await button.answer('No answer');
  assert.deepEqual(button.sent, ['favourite', 'unfavourite']);
  await button.answer();
  assert.equal(await button.refusal, undefined);
  assert.equal(button.wanted, 'unfavourite');
});

test('refusals of both actions show the state of the beginning', async () => {
  const button = new Pressed();
  button.press();
  await button.answer('No answer');
  await button.answer('No answer');
  assert.equal(await button.refusal, 'No answer');
  assert.equal(button.wanted, 'unfavourite');
});

test('a refusal of the opposite action shows what the server has done before', async () => {
  const button = new Pressed();
  button.press();
  await button.answer();
  await button.answer('You may not');
  assert.equal(await button.refusal, 'You may not');
  assert.equal(button.wanted, 'favourite');
});
