import { Button, TextInput } from '@primer/react';
import { useState } from 'react';
import { Field } from '../../../ui/field.js';
import { explainDisabled } from '../../../ui/reasoned-button.js';
import { ActionError } from '../../../ui/states.js';
import { scopeText as partText } from '../../../texts/en/release-parts.js';
import { useRelease } from '../release.query.js';
import { parseIssueNumber } from './parse-issue-number.js';
import { useScopeChange } from './scope.query.js';
import classes from './scope.module.css';

interface LinkFormProps {
  /** The id of the sentence that says why the viewer cannot change the scope. Null if they can. */
  readonly obstacle: string | null;
}

/** Links an issue to the release by its number. An error keeps the input. */
export function LinkForm({ obstacle }: LinkFormProps) {
  const { release } = useRelease();
  const [input, setInput] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const action = useScopeChange(release.milestoneId, { onDone: () => setInput('') });
  const link = (): void => {
    const number = parseIssueNumber(input);
    setIsWrong(number === null);
    if (number !== null) action.start({ action: 'link', number });
  };
  return (
    <form
      className={classes['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (obstacle === null) link();
      }}
    >
      <Field label={partText.link.label} {...(isWrong && { error: partText.link.invalid })}>
        {(attributes) => (
          <TextInput
            {...attributes}
            inputMode="numeric"
            autoComplete="off"
            value={input}
            onChange={({ target }) => setInput(target.value)}
          />
        )}
      </Field>
      <Button type="submit" loading={action.isRunning} {...explainDisabled(obstacle)}>
        {partText.link.button}
      </Button>
      {action.error && <ActionError error={action.error} />}
    </form>
  );
}
