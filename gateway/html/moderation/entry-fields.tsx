import { Choice, Labelled, Tick } from '../parts/form.js';
import type { Texts } from '../texts/index.js';

type EntryTexts = Texts['moderation']['entries'];

/** A field of the form of an entry. Its texts are those of its name. */
export interface EntryField {
  readonly name: keyof EntryTexts['fields'];
  readonly kind: 'line' | 'area' | 'choice' | 'ends' | 'tick' | 'time' | 'file';
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  /** Values of a choice; the first is that of a new entry. */
  readonly options?: readonly (keyof EntryTexts['options'])[];
  /** It cannot be changed later. */
  readonly isFixed?: boolean;
}

/** Values of a form: those that are stored, or those that were typed. */
export type TypedEntry = Readonly<Record<string, string | boolean | undefined>>;

/** Why a form was refused, by name of the field; `base` for the form as a whole. */
export type EntryFaults = Readonly<Record<string, string>>;

/** Ends that moderators can choose, in seconds from now. */
const ENDS = ['86400', '604800', '2592000', '31536000'] as const;

/** The fields of the form of an entry. `isNew`: with those that cannot be changed later. */
export function EntryFields(props: {
  readonly fields: readonly EntryField[];
  readonly typed: TypedEntry;
  readonly faults: EntryFaults;
  readonly texts: EntryTexts;
  readonly isNew: boolean;
}) {
  const { fields, typed, faults, texts, isNew } = props;
  return (
    <>
      {faults.base !== undefined && (
        <p class="fault" role="alert">
          {faults.base}
        </p>
      )}
      {fields
        .filter(({ isFixed }) => isNew || isFixed !== true)
        .map((field) => (
          <EntryInput
            key={field.name}
            field={field}
            value={typed[field.name]}
            wrong={faults[field.name]}
            texts={texts}
            isNew={isNew}
          />
        ))}
    </>
  );
}

function EntryInput(props: {
  readonly field: EntryField;
  readonly value: string | boolean | undefined;
  readonly wrong: string | undefined;
  readonly texts: EntryTexts;
  readonly isNew: boolean;
}) {
  const { field, value, wrong, texts, isNew } = props;
  const { name, kind, options = [] } = field;
  const shared = { name, label: texts.fields[name], hint: hintOf(texts, name), wrong };
  const text = value === undefined ? '' : String(value);
  if (kind === 'tick') return <Tick {...shared} value={text === 'true'} />;
  if (kind === 'ends') {
    const ends = [isNew ? 'never' : 'keep', ...ENDS] as const;
    return <Choice {...shared} value={text} options={ends.map((end) => [end, texts.ends[end]] as const)} />;
  }
  if (kind === 'choice')
    return <Choice {...shared} value={text} options={options.map((one) => [one, texts.options[one]] as const)} />;
  if (kind === 'file')
    return (
      <Labelled {...shared}>
        <input id={name} type="file" name={name} accept="image/*" required={field.isRequired === true} />
      </Labelled>
    );
  return (
    <Labelled {...shared}>
      <TextInput field={field} text={text} isHinted={shared.hint !== undefined} isWrong={wrong !== undefined} />
    </Labelled>
  );
}

function TextInput(props: {
  readonly field: EntryField;
  readonly text: string;
  readonly isHinted: boolean;
  readonly isWrong: boolean;
}) {
  const { field, text, isHinted, isWrong } = props;
  const { name, kind, isRequired, maxLength } = field;
  const described = [isHinted && `${name}-hint`, isWrong && `${name}-wrong`].filter(Boolean).join(' ') || undefined;
  const shared = {
    ...{ id: name, name, required: isRequired === true, maxLength },
    ...{ 'aria-describedby': described, 'aria-invalid': isWrong },
  };
  if (kind === 'area') return <textarea {...shared}>{text}</textarea>;
  if (kind === 'time') return <input {...shared} type="datetime-local" value={text} />;
  return <input {...shared} value={text} autoCapitalize="none" spellcheck={false} />;
}

const hintOf = ({ hints }: EntryTexts, name: string): string | undefined =>
  Object.hasOwn(hints, name) ? hints[name as keyof typeof hints] : undefined;

/** Returns the name of the value of a choice. */
export const optionText = ({ options }: EntryTexts, value: string): string =>
  Object.hasOwn(options, value) ? options[value as keyof typeof options] : value;
