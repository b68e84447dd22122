import { Select, Textarea } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, readBody, type Schema } from '../api/client.js';
import { ActionDialog } from '../ui/action-dialog.js';
import { Field, TextField } from '../ui/field.js';
import { SearchField } from '../ui/search-field.js';
import { ErrorState } from '../ui/states.js';
import { useAction } from '../ui/use-action.js';
import { text } from '../texts/en/new-release.js';
import { repositoryChoicesQuery } from './repository-choices.query.js';

type ChosenRepository = Pick<Schema<'Repository'>, 'id' | 'name'>;

interface NewReleaseDialogProps {
  /** The repository of the release. Without it the dialog lets the user choose one. */
  readonly repository?: ChosenRepository;
  readonly onClose: () => void;
}

/** The causes that concern the version. Their sentences stand at its field. */
const VERSION_CODES: readonly (string | null)[] = ['not_a_version', 'release_exists', 'milestone_exists'];

/** Creates a release, which is a milestone on GitHub. */
export function NewReleaseDialog({ repository, onClose }: NewReleaseDialogProps) {
  const [chosen, setChosen] = useState<ChosenRepository | null>(repository ?? null);
  const [version, setVersion] = useState('');
  const [dueOn, setDueOn] = useState('');
  const [description, setDescription] = useState('');
  const action = useAction<Schema<'CreateRelease'>, Schema<'Release'>>({
    run: (body) => readBody(api.POST('/api/milestones', { body })),
    changes: [['releases'], ['repository'], ['projects']],
    done: ({ repo, version: created }) => text.done(repo, created),
    link: ({ org, milestoneId }) => ({ title: text.show, href: `/w/${org}/releases/${milestoneId}` }),
    onDone: onClose,
  });
  const { error } = action;
  const isAboutVersion = error instanceof ApiError && VERSION_CODES.includes(error.code);
  const create = (repoId: string): void =>
    action.start({
      repoId,
      version: version.trim(),
      ...(dueOn !== '' && { dueOn }),
      ...(description.trim() !== '' && { description }),
    });
  return (
    <ActionDialog
      title={repository ? text.titleIn(repository.name) : text.title}
      confirm={text.confirm}
      canConfirm={chosen !== null && version.trim() !== ''}
      action={isAboutVersion ? { ...action, error: null } : action}
      onConfirm={() => {
        if (chosen !== null) create(chosen.id);
      }}
      onClose={onClose}
    >
      <p>{text.effect}</p>
      {!repository && <RepositoryChoice chosen={chosen} onChoose={setChosen} />}
      <TextField
        label={text.version}
        hint={text.versionHint}
        error={isAboutVersion ? error.message : undefined}
        block
        required
        value={version}
        onChange={setVersion}
      />
      <TextField label={text.dueOn} isOptional type="date" value={dueOn} onChange={setDueOn} />
      <Field label={text.description} isOptional>
        {(attributes) => (
          <Textarea
            {...attributes}
            block
            rows={4}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
      {error instanceof ApiError && error.status === 503 && <p>{text.perhapsCreated}</p>}
    </ActionDialog>
  );
}

interface RepositoryChoiceProps {
  readonly chosen: ChosenRepository | null;
  readonly onChoose: (repository: ChosenRepository | null) => void;
}

/** The repositories to choose from. If there are more than a page, a search narrows them down. */
function RepositoryChoice({ chosen, onChoose }: RepositoryChoiceProps) {
  const [search, setSearch] = useState('');
  const { data, error, refetch } = useQuery(repositoryChoicesQuery(search));
  const repositories = data?.groups.flatMap(({ repos }) => repos) ?? [];
  const offered =
    chosen === null || repositories.some(({ id }) => id === chosen.id) ? repositories : [chosen, ...repositories];
  return (
    <>
      {error && <ErrorState title={text.repositoriesFailed} error={error} onRetry={() => void refetch()} />}
      {(search !== '' || (data?.pagination.pages ?? 1) > 1) && (
        <SearchField label={text.searchRepository} value={search} onSearch={setSearch} />
      )}
      <Field label={text.repository}>
        {(attributes) => (
          <Select
            {...attributes}
            block
            required
            value={chosen?.id ?? ''}
            onChange={({ target }) => onChoose(offered.find(({ id }) => id === target.value) ?? null)}
          >
            <Select.Option value="">{text.choose}</Select.Option>
            {offered.map(({ id, name }) => (
              <Select.Option key={id} value={id}>
                {name}
              </Select.Option>
            ))}
          </Select>
        )}
      </Field>
    </>
  );
}
