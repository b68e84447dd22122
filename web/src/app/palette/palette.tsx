import { SearchIcon } from '@primer/octicons-react';
import { Dialog, TextInput } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Children, isValidElement, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { usePausedInput } from '../../ui/use-paused-input.js';
import { ErrorState } from '../../ui/states.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/palette.js';
import { useNavigationEntries } from '../navigation.js';
import classes from './palette.module.css';
import { MIN_LENGTH, searchQuery } from './palette.query.js';
import { usePaletteActions } from './palette-actions.js';

const ENTRIES = 'a, button';
const SHA_LENGTH = 12;

type Results = Schema<'SearchResults'>;

interface PaletteProps {
  readonly org: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onOpenShortcuts: () => void;
}

/** Finds everything of the workspace by one term: by the service what the user can read, and here the screens and the actions. */
export function Palette({ org, isOpen, onClose, onOpenShortcuts }: PaletteProps) {
  const { actions, dialog } = usePaletteActions(org, onOpenShortcuts);
  return (
    <>
      {isOpen && <PaletteDialog org={org} actions={actions} onClose={onClose} />}
      {dialog}
    </>
  );
}

interface PaletteDialogProps extends Pick<PaletteProps, 'org' | 'onClose'> {
  readonly actions: ReturnType<typeof usePaletteActions>['actions'];
}

function PaletteDialog({ org, actions, onClose }: PaletteDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [term, setTerm] = useState('');
  const { text: typed, setText } = usePausedInput(term, setTerm);
  const isSearched = term.length >= MIN_LENGTH;
  const query = useQuery(searchQuery(term));
  const results = isSearched ? query.data : undefined;
  const matches = (name: string): boolean => name.toLowerCase().includes(typed.trim().toLowerCase());
  const screens = useNavigationEntries().filter(({ title }) => matches(title));
  const found = results && countResults(results);
  const shownActions = actions.filter(({ title }) => matches(title));
  const isWaiting = typed.trim() !== term || (isSearched && query.isFetching);

  /** Arrow keys move the focus between the field and the results. A letter goes to the field. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const entries = [...(list.current?.querySelectorAll<HTMLElement>(ENTRIES) ?? [])];
    const at = entries.findIndex((entry) => entry === document.activeElement);
    if (event.key === 'ArrowDown') (entries[at + 1] ?? field.current)?.focus();
    else if (event.key === 'ArrowUp') (at === -1 ? entries.at(-1) : (entries[at - 1] ?? field.current))?.focus();
    else if (event.key === 'Enter' && at === -1) {
      // The entries of the former text are still shown while the search runs.
      if (!isWaiting && !event.nativeEvent.isComposing) entries[0]?.click();
    } else {
      if (at !== -1 && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== ' ')
        field.current?.focus();
      return;
    }
    event.preventDefault();
  };

  return (
    <Dialog
      title={text.title}
      width="large"
      align="top"
      position={{ narrow: 'fullscreen', regular: 'center' }}
      initialFocusRef={field}
      onClose={onClose}
    >
      {/* eslint-disable-next-line jsx-a11y/no-static-element-interactions -- It only moves the focus between fields and links. */}
      <div className={classes['body']} onKeyDown={onKeyDown}>
        <TextInput
          ref={field}
          block
          type="search"
          leadingVisual={SearchIcon}
          aria-label={text.field}
          placeholder={text.field}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          value={typed}
          onChange={({ target }) => setText(target.value)}
        />
        <output className="quiet">
          {typed.trim().length < MIN_LENGTH
            ? `${text.tooShort} ${text.hint}`
            : isWaiting
              ? text.searching
              : isSearched && results === undefined
                ? ''
                : text.count((found ?? 0) + screens.length + shownActions.length)}
        </output>
        {isSearched && query.error !== null && (
          <ErrorState title={text.failed} error={query.error} onRetry={() => void query.refetch()} />
        )}
        <div ref={list} aria-busy={isWaiting}>
          {results && <FoundInWorkspace results={results} org={org} onClose={onClose} />}
          <Group title={text.groups.screens}>
            {screens.map(({ to, title }) => (
              <Link key={to} to={to} params={{ org }} onClick={onClose}>
                {title}
              </Link>
            ))}
          </Group>
          <Group title={text.groups.actions}>
            {shownActions.map(({ title, run }) => (
              <button
                key={title}
                type="button"
                onClick={() => {
                  onClose();
                  run();
                }}
              >
                {title}
              </button>
            ))}
          </Group>
          {results && !isWaiting && found === 0 && screens.length + shownActions.length === 0 && (
            <p>{text.none(term)}</p>
          )}
        </div>
      </div>
    </Dialog>
  );
}

const countResults = (results: Results): number => Object.values(results).reduce((sum, { length }) => sum + length, 0);

interface FoundProps extends Pick<PaletteProps, 'org' | 'onClose'> {
  readonly results: Results;
}

function FoundInWorkspace({ results, org, onClose: onClick }: FoundProps) {
  const { releases, repositories, projects, commits, users } = results;
  return (
    <>
      <Group title={text.groups.releases}>
        {releases.map(({ milestoneId, repo, version, stage, deployedAt }) => (
          <Link key={milestoneId} to="/w/$org/releases/$id" params={{ org, id: milestoneId }} onClick={onClick}>
            {repo} {version}
            <span className="quiet">{deployedAt === null ? common.stages[stage] : text.shipped}</span>
          </Link>
        ))}
      </Group>
      <Group title={text.groups.repositories}>
        {repositories.map(({ repoId, org: owner, repo }) => (
          <Link key={repoId} to="/w/$org/repositories/$repoId" params={{ org, repoId }} onClick={onClick}>
            {owner}/{repo}
          </Link>
        ))}
      </Group>
      <Group title={text.groups.projects}>
        {projects.map(({ id, name }) => (
          <Link key={id} to="/w/$org/projects/$id" params={{ org, id }} onClick={onClick}>
            {name}
          </Link>
        ))}
      </Group>
      <Group title={text.groups.commits}>
        {commits.map((commit) => (
          <CommitLink key={`${commit.sha} ${commit.milestoneId}`} commit={commit} org={org} onClick={onClick} />
        ))}
      </Group>
      <Group title={text.groups.users}>
        {users.map(({ userId, login, name }) => (
          <Link key={userId} to="/w/$org/settings/team" params={{ org }} hash={`member-${userId}`} onClick={onClick}>
            {login}
            <span className="quiet">{name}</span>
          </Link>
        ))}
      </Group>
    </>
  );
}

interface CommitLinkProps {
  readonly commit: Results['commits'][number];
  readonly org: string;
  readonly onClick: () => void;
}

/** Leads to the release of the commit. One without a release leads to its deployment in the history. */
function CommitLink({ commit: { sha, milestoneId, org: owner, repo, version }, org, onClick }: CommitLinkProps) {
  const code = <code>{sha.slice(0, SHA_LENGTH)}</code>;
  return milestoneId === null ? (
    <Link
      to="/w/$org/history"
      params={{ org }}
      search={{ repository: `${owner}/${repo}`, kind: 'ungoverned' }}
      onClick={onClick}
    >
      {code}
      <span className="quiet">{text.ungoverned(repo)}</span>
    </Link>
  ) : (
    <Link to="/w/$org/releases/$id" params={{ org, id: milestoneId }} onClick={onClick}>
      {code}
      <span className="quiet">{text.ofRelease(`${repo} ${version}`)}</span>
    </Link>
  );
}

/** Results of one kind. Nothing without results. */
function Group({ title, children }: { readonly title: string; readonly children: readonly ReactNode[] }) {
  const heading = useId();
  if (children.length === 0) return null;
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading} className={`quiet ${classes['title']}`}>
        {title}
      </h2>
      <ul className={classes['list']}>
        {Children.toArray(children).map((entry) => (
          <li key={isValidElement(entry) ? entry.key : null}>{entry}</li>
        ))}
      </ul>
    </section>
  );
}
