import { PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react';
import { Button } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../../api/client.js';
import { OutcomeLabel } from '../../release-ui/outcome-label.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { formatDay } from '../../ui/format-time.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Facts, ScreenHead } from '../../ui/screen.js';
import { StalePart } from '../../ui/states.js';
import { text } from '../../texts/en/projects.js';
import { AddRepositoryDialog } from './link-dialogs.js';
import { useChangeProject, useDeleteProject } from './project-actions.js';
import { ProjectCounts } from './project-counts.js';
import { ProjectDialog } from './project-dialog.js';
import { ProjectRepositories } from './project-repositories.js';
import { projectQuery } from './project.query.js';
import classes from './project.module.css';

const ROUTE = '/session/w/$org/projects/$id';

type Opened = 'edit' | 'delete' | 'add' | null;

/** One project: its details, and the release of each repository that it waits for. */
export function ProjectScreen() {
  const { org, id } = useParams({ from: ROUTE });
  const query = useQuery(projectQuery(id));
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  const name = query.data?.name ?? text.title;
  return (
    <>
      <Link to="/w/$org/projects" params={{ org }}>
        {text.all}
      </Link>
      <ScreenHead title={name} documentTitle={name}>
        {query.data && (
          <>
            <Button leadingVisual={PencilIcon} onClick={() => setOpened('edit')}>
              {text.edit}
            </Button>
            <Button leadingVisual={TrashIcon} variant="danger" onClick={() => setOpened('delete')}>
              {text.delete}
            </Button>
          </>
        )}
      </ScreenHead>
      <QueryRegion query={query} failed={text.failedOne}>
        {(project, isStale) => (
          <>
            <StalePart isStale={isStale}>
              <ProjectFacts project={project} />
            </StalePart>
            <section aria-labelledby="repositories">
              <div className={classes['head']}>
                <h2 id="repositories">{text.repositories}</h2>
                <Button leadingVisual={PlusIcon} onClick={() => setOpened('add')}>
                  {text.add}
                </Button>
              </div>
              <ProjectRepositories project={project} isStale={isStale} />
            </section>
            {opened === 'edit' && <EditDialog project={project} onClose={close} />}
            {opened === 'delete' && <DeleteDialog project={project} onClose={close} />}
            {opened === 'add' && <AddRepositoryDialog project={project} onClose={close} />}
          </>
        )}
      </QueryRegion>
    </>
  );
}

function ProjectFacts({ project }: { readonly project: Schema<'Project'> }) {
  const { description, targetDate, outcome, counts, updatedAt } = project;
  return (
    <>
      {description !== null && <p className={classes['description']}>{description}</p>}
      <Facts
        entries={[
          [text.columns.outcome, outcome === null ? null : <OutcomeLabel key="outcome" outcome={outcome} />],
          [
            text.columns.releases,
            <div key="counts" className={classes['counts']}>
              <ProjectCounts counts={counts} />
            </div>,
          ],
          [text.columns.target, targetDate === null ? text.noDate : formatDay(targetDate)],
          [text.lastChanged, <RelativeTime key="time" date={updatedAt} />],
        ]}
      />
    </>
  );
}

interface ProjectDialogProps {
  readonly project: Schema<'Project'>;
  readonly onClose: () => void;
}

function EditDialog({ project, onClose }: ProjectDialogProps) {
  // A change by another user while the dialog is open must not count as a change by this user.
  const [opened] = useState(project);
  const action = useChangeProject(opened, onClose);
  return (
    <ProjectDialog title={text.editTitle} confirm={text.save} details={opened} action={action} onClose={onClose} />
  );
}

function DeleteDialog({ project, onClose }: ProjectDialogProps) {
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const action = useDeleteProject(project, () => void navigate({ to: '/w/$org/projects', params: { org } }));
  return (
    <ActionDialog
      title={text.deleteTitle}
      confirm={text.deleteTitle}
      isDangerous
      action={action}
      onConfirm={() => action.start()}
      onClose={onClose}
    >
      <p>{text.deleteEffect(project.name, project.repos.length)}</p>
    </ActionDialog>
  );
}
