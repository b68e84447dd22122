import { Button, TextInput } from '@primer/react';
import { useState } from 'react';
import { Field } from '../../../ui/field.js';
import { ActionError } from '../../../ui/states.js';
import { scopeText as partText } from '../../../texts/en/release-parts.js';
import { useRelease } from '../release.query.js';
import { parseIssueNumber } from './parse-issue-number.js';
import { explainDisabled } from './scope-rights.js';
import { useScopeChange } from './scope.query.js';
import classes from './scope.module.css';

/** Links an issue to the release by its number. An error keeps the input. */
export function LinkForm({ canChange }: { readonly canChange: boolean }) {
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
        if (canChange) link();
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
      <Button type="submit" loading={action.isRunning} {...explainDisabled(canChange)}>
        {partText.link.button}
      </Button>
      {action.error && <ActionError error={action.error} />}
    </form>
  );
}
