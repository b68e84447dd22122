import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../../api/client.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { PickList } from '../../ui/pick-list.js';
import { QueryRegion } from '../../ui/query-region.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/projects.js';
import { useLinkRepository } from './project-actions.js';
import { repositoryChoicesQuery } from '../../release-ui/repository-choices.query.js';
import { releaseChoicesQuery } from './project.query.js';

interface AddRepositoryDialogProps {
  readonly project: Schema<'Project'>;
  readonly onClose: () => void;
}

/** Adds one of the repositories that are not in the project. */
export function AddRepositoryDialog({ project, onClose }: AddRepositoryDialogProps) {
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<Schema<'Repository'> | null>(null);
  const query = useQuery(repositoryChoicesQuery(search));
  const action = useLinkRepository(project, onClose);
  return (
    <ActionDialog
      title={text.add}
      confirm={text.addConfirm}
      canConfirm={chosen !== null}
      action={action}
      onConfirm={() => {
        if (chosen !== null) action.start({ repoId: chosen.id, repo: chosen.name, milestoneId: null });
      }}
      onClose={onClose}
    >
      <QueryRegion query={query} failed={text.failed}>
        {({ groups }) => {
          const repositories = groups.flatMap(({ repos }) => repos);
          const others = repositories.filter(({ id }) => project.repos.every(({ repoId }) => repoId !== id));
          return (
            <PickList
              label={text.add}
              searchLabel={text.searchRepository}
              search={search}
              onSearch={setSearch}
              options={others.map(({ id, name }) => ({ value: id, name }))}
              chosen={chosen?.id}
              onChoose={(id) => setChosen(others.find((repository) => repository.id === id) ?? null)}
              none={text.noRepositoryMatches}
            />
          );
        }}
      </QueryRegion>
    </ActionDialog>
  );
}

interface ChooseReleaseDialogProps extends AddRepositoryDialogProps {
  readonly link: Schema<'ProjectRepository'>;
}

/** Chooses the release of a repository that the project waits for, or none. */
export function ChooseReleaseDialog({ project, link: { repoId, repo, release }, onClose }: ChooseReleaseDialogProps) {
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState(release?.milestoneId ?? null);
  const query = useQuery(releaseChoicesQuery(project.org, repo, search));
  const action = useLinkRepository(project, onClose);
  return (
    <ActionDialog
      title={text.chooseOf(repo)}
      confirm={text.chooseConfirm}
      canConfirm={chosen !== (release?.milestoneId ?? null)}
      action={action}
      onConfirm={() => action.start({ repoId, repo, milestoneId: chosen })}
      onClose={onClose}
    >
      <QueryRegion query={query} failed={text.failed}>
        {({ milestones }) => (
          <PickList
            label={text.chooseOf(repo)}
            searchLabel={text.searchRelease}
            search={search}
            onSearch={setSearch}
            options={[
              ...milestones.map(({ milestoneId, version, stage }) => ({
                value: milestoneId as string | null,
                name: version,
                note: common.stages[stage],
              })),
              { value: null, name: text.withoutRelease },
            ]}
            chosen={chosen}
            onChoose={setChosen}
            none={text.noReleaseMatches}
          />
        )}
      </QueryRegion>
    </ActionDialog>
  );
}
