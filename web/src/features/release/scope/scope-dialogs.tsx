import { Avatar, Label } from '@primer/react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../../../api/client.js';
import { ActionDialog } from '../../../ui/action-dialog.js';
import { Picker } from '../../../ui/picker.js';
import { ErrorState } from '../../../ui/states.js';
import { usePausedInput } from '../../../ui/use-paused-input.js';
import { scopeText as partText } from '../../../texts/en/release-parts.js';
import { useRelease } from '../release.query.js';
import { parseIssueNumber } from './parse-issue-number.js';
import { assigneesQuery, candidatesQuery, useScopeChange } from './scope.query.js';
import classes from './scope.module.css';

/** The typed text and the choice of the user. Typing clears the choice. `search` is the text after a pause. */
function useChoice() {
  const [search, setSearch] = useState('');
  const { text, setText } = usePausedInput(search, setSearch);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const onText = (typed: string): void => {
    setChosen(undefined);
    setText(typed);
  };
  return { search, value: chosen ?? text.trim(), field: { text, onText, chosen, onChoose: setChosen } };
}

/** Links an issue: one of those without a milestone, or any by its number. An error keeps the input. */
export function LinkDialog({ onClose }: { readonly onClose: () => void }) {
  const { milestoneId } = useRelease().release;
  const { search, value, field } = useChoice();
  const [isWrong, setIsWrong] = useState(false);
  const query = useQuery(candidatesQuery(milestoneId, search));
  const issues = query.data ?? [];
  const action = useScopeChange(milestoneId, { onDone: onClose });
  const link = (): void => {
    const number = parseIssueNumber(value);
    setIsWrong(number === null);
    if (number !== null) action.start({ action: 'link', number });
  };
  return (
    <ActionDialog
      title={partText.link.title}
      confirm={partText.link.confirm}
      canConfirm={value !== ''}
      action={action}
      onConfirm={link}
      onClose={onClose}
    >
      <ChoicesError query={query} />
      <Picker
        {...field}
        label={partText.link.issue}
        optionsLabel={partText.link.choices}
        hint={partText.link.hint}
        error={isWrong ? partText.link.invalid : undefined}
        status={query.isFetching ? partText.searching : partText.link.count(issues.length)}
        options={issues.map(({ number, title, labels }) => ({
          value: String(number),
          name: `#${number} ${title}`,
          ...(labels.length > 0 && { note: <Labels labels={labels} /> }),
        }))}
      />
    </ActionDialog>
  );
}

function Labels({ labels }: { readonly labels: readonly string[] }) {
  return (
    <span className={classes['items']}>
      {labels.map((label) => (
        <Label key={label}>{label}</Label>
      ))}
    </span>
  );
}

interface AssignDialogProps {
  readonly issue: Schema<'ScopeIssue'>;
  readonly onClose: () => void;
}

/** Assigns an issue to one of the users whom GitHub accepts, or to any login. An error keeps the input. */
export function AssignDialog({ issue: { number, title, owners }, onClose }: AssignDialogProps) {
  const { milestoneId } = useRelease().release;
  const { search, value, field } = useChoice();
  const query = useQuery(assigneesQuery(milestoneId, search));
  const users = (query.data ?? []).filter(({ login }) => !owners.includes(login));
  const action = useScopeChange(milestoneId, { onDone: onClose });
  const assignee = value.replace(/^@/, '');
  return (
    <ActionDialog
      title={partText.assign.title(number)}
      confirm={partText.assign.confirm}
      canConfirm={assignee !== ''}
      action={action}
      onConfirm={() => action.start({ action: 'assign', number, assignee })}
      onClose={onClose}
    >
      <p>{title}</p>
      <ChoicesError query={query} />
      <Picker
        {...field}
        label={partText.assign.login}
        optionsLabel={partText.assign.choices}
        hint={partText.assign.loginHint}
        status={query.isFetching ? partText.searching : partText.assign.count(users.length)}
        options={users.map(({ login, name, avatarUrl }) => ({
          value: login,
          name: login,
          note: (
            <span className={classes['owner']}>
              <Avatar src={avatarUrl} alt="" size={20} /> {name}
            </span>
          ),
        }))}
      />
    </ActionDialog>
  );
}

/** Shows why GitHub could not be searched. A number or a login can still be typed. */
function ChoicesError({ query: { error, refetch } }: { readonly query: UseQueryResult }) {
  return error && <ErrorState title={partText.searchFailed} error={error} onRetry={() => void refetch()} />;
}
