/** Input that cannot be parsed at all; becomes a 400. The message is safe for clients. */
export class Unparsable extends Error {
  override readonly name = 'Unparsable';
}

/** A value of a form or query before validation. */
export type FormValue = string | File | FormValue[] | FormObject;
/** An object without inherited names, so that no name of a field has another meaning. */
export interface FormObject {
  [name: string]: FormValue;
}
/** A part of a multipart body that carries a file. */
interface File {
  readonly bytes: Uint8Array;
  readonly filename: string;
  readonly contentType: string | undefined;
}

/** Bounds the work for one form: no route accepts more than some dozens of values. */
export const FORM_VALUES_MAX = 1_000;
/** Depth of names as `a[b][c][]`: no route nests deeper than three. */
export const FORM_DEPTH_MAX = 5;
/** Longest name of a value: the longest that a route declares is far shorter. */
export const FORM_NAME_CHARS_MAX = 256;

const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

export const emptyForm = (): FormObject => Object.create(NOTHING) as FormObject;

/**
 * An empty prototype. V8 treats objects without any prototype as dictionaries, and each assignment to one is a slow
 * call.
 */
const NOTHING: object = Object.freeze(Object.create(null));

/** Parses `a=1&b[]=2&c[d]=3` into an object. @throws Unparsable on bad escapes, bad UTF-8, NUL, or too many values */
export function parseUrlEncoded(text: string): FormObject {
  const form = emptyForm();
  if (text === '') return form;
  // One check of the whole text replaces four checks of each value.
  const isPlain = !text.includes('%') && !text.includes('+') && checkedText(text) === text;
  // The value after one element of a list is mostly the next element.
  let listName: string | undefined;
  let list: FormValue[] | undefined;
  let pairs = 0;
  for (let from = 0, end = 0; from <= text.length; from = end + 1) {
    end = text.indexOf('&', from);
    if (end < 0) end = text.length;
    if (++pairs > FORM_VALUES_MAX) throw new Unparsable('Too many parameters');
    if (end === from) continue;
    const pair = text.slice(from, end);
    const equals = pair.indexOf('=');
    const written = equals < 0 ? pair : pair.slice(0, equals);
    const told = equals < 0 ? '' : pair.slice(equals + 1);
    const value = isPlain ? told : decode(told);
    if (list !== undefined && written === listName) {
      list.push(value);
      continue;
    }
    const name = isPlain ? written : decode(written);
    assignValue(form, name, value);
    listName = written;
    list = listIn(form, name);
  }
  return form;
}

/** Returns the list to which a value of this name is appended, if the name is as simple as `a[]`. */
function listIn(form: FormObject, name: string): FormValue[] | undefined {
  if (!name.endsWith('[]')) return undefined;
  const present = form[name.slice(0, -2)];
  return Array.isArray(present) ? present : undefined;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? percentDecode(spaced) : checkedText(spaced);
}

/** Decodes percent escapes once. @throws Unparsable on bad escapes, bad UTF-8, NUL */
export function percentDecode(text: string): string {
  try {
    return checkedText(decodeURIComponent(text));
  } catch (error) {
    if (error instanceof Unparsable) throw error;
    throw new Unparsable('Malformed percent-encoding');
  }
}

/** Returns the text. @throws Unparsable when the text holds a NUL or a lone surrogate */
export function checkedText(text: string): string {
  if (text.includes('\0')) throw new Unparsable('Null bytes are not allowed');
  if (!isWellFormed(text)) throw new Unparsable('Malformed UTF-8');
  return text;
}

function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/**
 * Assigns a value at the place that its name describes: `a`, `a[]`, `a[b]`, `a[][b]`, `a[0][b]`. @throws Unparsable on
 * a bad name
 */
export function assignValue(form: FormObject, name: string, value: FormValue): void {
  if (name !== '' && !name.endsWith(']')) {
    form[checkedKey(checkedName(name))] = value;
    return;
  }
  const keys = keysOf(name);
  let holder: FormObject | FormValue[] = form;
  keys.forEach((key, index) => {
    const last = index === keys.length - 1;
    if (last) put(holder, key, value);
    else holder = descend(holder, key, keys, index);
  });
}

/** Splits a name: `a[b][]` → a, b, '' (an empty key appends). */
function keysOf(name: string): string[] {
  checkedName(name);
  const bracket = name.indexOf('[');
  // Unbalanced brackets are part of the name, because a browser's field may have any name.
  if (bracket <= 0 || !name.endsWith(']')) return [checkedKey(name)];
  const inner = name.slice(bracket + 1, -1).split('][');
  if (inner.length >= FORM_DEPTH_MAX) throw new Unparsable('Parameters are nested too deep');
  return [checkedKey(name.slice(0, bracket)), ...inner.map(checkedKey)];
}

function checkedName(name: string): string {
  if (name.length > FORM_NAME_CHARS_MAX) throw new Unparsable('A parameter name is too long');
  return name;
}

function checkedKey(key: string): string {
  if (FORBIDDEN_NAMES.has(key)) throw new Unparsable('A parameter name is not allowed');
  return key;
}

function put(holder: FormObject | FormValue[], key: string, value: FormValue): void {
  if (Array.isArray(holder)) {
    if (key !== '') throw new Unparsable('Parameters contradict one another');
    holder.push(value);
  } else if (key === '') {
    throw new Unparsable('Parameters contradict one another');
  } else {
    holder[key] = value;
  }
}

function descend(
  holder: FormObject | FormValue[],
  key: string,
  keys: readonly string[],
  index: number,
): FormObject | FormValue[] {
  const next = keys[index + 1];
  const wanted: () => FormObject | FormValue[] = next === '' ? () => [] : emptyForm;
  if (Array.isArray(holder)) {
    const last = holder.at(-1);
    // `a[][b]`: a new element begins if the last one already has a `b`.
    if (isObject(last) && next !== undefined && next !== '' && (index + 2 < keys.length || !(next in last)))
      return last;
    const element = wanted();
    holder.push(element);
    return element;
  }
  if (key === '') throw new Unparsable('Parameters contradict one another');
  const present = holder[key];
  if (present === undefined) {
    const made = wanted();
    holder[key] = made;
    return made;
  }
  if (Array.isArray(present) ? next === '' : isObject(present) && next !== '')
    return present as FormObject | FormValue[];
  throw new Unparsable('Parameters contradict one another');
}

function isObject(value: FormValue | undefined): value is FormObject {
  return typeof value === 'object' && !Array.isArray(value) && Object.getPrototypeOf(value) === NOTHING;
}
