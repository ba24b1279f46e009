/** Escapes text for HTML or SVG: a server's answer may contain anything. */
export function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Formats milliseconds for people: 0.82 ms, 14 ms, 1.2 s. */
export function duration(ms: number): string {
  if (ms >= 10_000) return `${Math.round(ms / 1_000)} s`;
  if (ms >= 1_000) return `${short(ms / 1_000)} s`;
  return `${ms >= 100 ? Math.round(ms) : short(ms)} ms`;
}

/** Formats 1,234,567 with thin spaces. */
export function whole(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(2)));
}
