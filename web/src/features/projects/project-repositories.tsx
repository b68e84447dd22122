import { Button } from '@primer/react';
import { useState } from 'react';
import type { Schema } from '../../api/client.js';
import { OutcomeLabel } from '../../release-ui/outcome-label.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { StatusLabel } from '../../release-ui/status-label.js';
import { ActionError, EmptyState } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/projects.js';
import { ChooseReleaseDialog } from './link-dialogs.js';
import { useUnlinkRepository } from './project-actions.js';
import classes from './project.module.css';

interface ProjectRepositoriesProps {
  readonly project: Schema<'Project'>;
  readonly isStale: boolean;
}

/** The repositories of a project with the release that it waits for. */
export function ProjectRepositories({ project, isStale }: ProjectRepositoriesProps) {
  const [choosing, setChoosing] = useState<Schema<'ProjectRepository'> | null>(null);
  if (project.repos.length === 0) {
    return (
      <EmptyState title={text.noRepository}>
        <p>{text.noRepositoryHint}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Table caption={text.repositories} columns={Object.values(text.repositoryColumns)} isStale={isStale}>
        {project.repos.map((link) => (
          <RepositoryRow key={link.repoId} project={project} link={link} onChoose={() => setChoosing(link)} />
        ))}
      </Table>
      {choosing && <ChooseReleaseDialog project={project} link={choosing} onClose={() => setChoosing(null)} />}
    </>
  );
}

interface RepositoryRowProps {
  readonly project: Schema<'Project'>;
  readonly link: Schema<'ProjectRepository'>;
  readonly onChoose: () => void;
}

function RepositoryRow({ project, link, onChoose }: RepositoryRowProps) {
  const { repo, release } = link;
  const unlink = useUnlinkRepository(project);
  return (
    <Row>
      <th scope="row">{repo}</th>
      <td>
        {release === null ? (
          <span className="quiet">{text.noRelease}</span>
        ) : (
          <>
            <ReleaseLink id={release.milestoneId}>{release.version}</ReleaseLink>
            <div className="quiet">{common.stages[release.stage]}</div>
          </>
        )}
      </td>
      <td>{release && <LinkedOutcome release={release} />}</td>
      <td>
        <div className={classes['actions']}>
          <Button size="small" aria-label={text.chooseOf(repo)} onClick={onChoose}>
            {text.choose}
          </Button>
          <Button
            size="small"
            variant="danger"
            aria-label={text.removeOf(repo)}
            loading={unlink.isRunning}
            onClick={() => unlink.start(link)}
          >
            {text.remove}
          </Button>
        </div>
        {unlink.error && <ActionError error={unlink.error} />}
      </td>
    </Row>
  );
}

/** A release without an outcome is shipped or cancelled. */
function LinkedOutcome({ release: { outcome, stage } }: { readonly release: Schema<'ProjectRelease'> }) {
  if (outcome !== null) return <OutcomeLabel outcome={outcome} />;
  return stage === 'DEPLOYED' ? (
    <StatusLabel kind="shipped">{common.stages.DEPLOYED}</StatusLabel>
  ) : (
    <StatusLabel kind="neutral">{text.cancelled}</StatusLabel>
  );
}
