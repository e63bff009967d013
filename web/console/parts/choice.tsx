/** A few choices side by side, of which one holds. */

interface ChoiceProps<Name extends string> {
  readonly label: string;
  readonly choices: readonly (readonly [Name, string])[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

export function Choice<Name extends string>({ label, choices, chosen, onChoose }: ChoiceProps<Name>) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {choices.map(([name, shown]) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          {shown}
        </button>
      ))}
    </fieldset>
  );
}
