import { Link, useParams } from '@tanstack/react-router';
import type { Schema } from '../../api/client.js';
import { OutcomeLabel } from '../../release-ui/outcome-label.js';
import { Row, Table } from '../../ui/table.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/releases.js';
import classes from './release-stages.module.css';

type Release = Schema<'Release'>;

/** The stages of active releases. A deployed release is shipped. */
const STAGES = ['PLANNING', 'DEVELOPMENT', 'TESTING', 'EVIDENCING', 'DEPLOYMENT'] as const satisfies Release['stage'][];

interface ReleaseStagesProps {
  /** The releases of a repository follow each other. */
  readonly releases: readonly Release[];
  readonly isStale: boolean;
}

/** A row for each repository and a column for each stage, with the releases there and their outcomes. */
export function ReleaseStages({ releases, isStale }: ReleaseStagesProps) {
  const { org } = useParams({ from: '/session/w/$org' });
  const repositories = [...new Set(releases.map(({ repoId }) => repoId))];
  return (
    <Table
      caption={text.stagesCaption}
      columns={[text.columns.repository, ...STAGES.map((stage) => common.stages[stage])]}
      isStale={isStale}
    >
      {repositories.map((id) => {
        const ofRepository = releases.filter(({ repoId }) => repoId === id);
        return (
          <Row key={id}>
            <th scope="row">
              <Link to="/w/$org/repositories/$repoId" params={{ org, repoId: id }}>
                {ofRepository[0]?.repo}
              </Link>
            </th>
            {STAGES.map((stage) => {
              const there = ofRepository.filter((release) => release.stage === stage);
              return <td key={stage}>{there.length > 0 && <Releases releases={there} />}</td>;
            })}
          </Row>
        );
      })}
    </Table>
  );
}

function Releases({ releases }: { readonly releases: readonly Release[] }) {
  return (
    <ul className={classes['releases']}>
      {releases.map(({ milestoneId, org, version, outcome, readiness }) => (
        <li key={milestoneId}>
          <Link to="/w/$org/releases/$id" params={{ org, id: milestoneId }} preload="intent">
            {version}
          </Link>
          <OutcomeLabel outcome={outcome} readiness={readiness} />
        </li>
      ))}
    </ul>
  );
}
