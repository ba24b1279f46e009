import type { ComponentChildren } from 'preact';

/** Hidden field that proves that a form comes from a page of this server (oauth/session.ts). */
export const Csrf = ({ reader }: { readonly reader: { readonly person?: { readonly csrf: string } } }) => (
  <input type="hidden" name="csrf" value={reader.person?.csrf ?? ''} />
);

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Message at the field: what is wrong with what was typed. */
  readonly wrong?: string | undefined;
}

/** Label, hint, field and message, connected for assistive technology. */
export function Labelled({
  name,
  label,
  hint,
  wrong,
  children,
}: FieldProps & { readonly children: ComponentChildren }) {
  return (
    <>
      <label for={name}>{label}</label>
      {hint !== undefined && (
        <span class="hint" id={`${name}-hint`}>
          {hint}
        </span>
      )}
      {children}
      {wrong !== undefined && (
        <span class="wrong" id={`${name}-wrong`} role="alert">
          {wrong}
        </span>
      )}
    </>
  );
}

const describedBy = ({ name, hint, wrong }: FieldProps): string | undefined =>
  [hint !== undefined && `${name}-hint`, wrong !== undefined && `${name}-wrong`].filter(Boolean).join(' ') || undefined;

/** A choice of one value. */
export function Choice({
  value,
  options,
  ...field
}: FieldProps & { readonly value: string; readonly options: readonly (readonly [value: string, text: string])[] }) {
  return (
    <Labelled {...field}>
      <select id={field.name} name={field.name} aria-describedby={describedBy(field)}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** A tick. An unticked one sends nothing, so the hidden field in front of it sends `false`. */
export function Tick({ name, label, value }: FieldProps & { readonly value: boolean }) {
  return (
    <>
      <input type="hidden" name={name} value="false" />
      <label class="check">
        <input type="checkbox" name={name} value="true" checked={value} />
        <span>{label}</span>
      </label>
    </>
  );
}
