import { PartStatus } from '../../../release-ui/part-status.js';
import { StatusLabel, type StatusKind } from '../../../release-ui/status-label.js';
import { ExternalLink, Sha } from '../../../ui/links.js';
import { EmptyState } from '../../../ui/states.js';
import { Row, Table } from '../../../ui/table.js';
import { checksText as partText } from '../../../texts/en/release-parts.js';
import { text } from '../../../texts/en/release.js';
import { useRelease } from '../release.query.js';
import { listChecks, type Check } from './list-checks.js';

const VARIANTS = { success: 'good', failure: 'failed', pending: 'running', skipped: 'neutral' } as const;

/** The checks that have reported at the candidate, and the checks that the policy requires. */
export function ChecksScreen() {
  const { checks, policy, release } = useRelease();
  const rows = listChecks(checks.reported, policy.rules);
  const isCurrent = checks.status === 'current';
  return (
    <section aria-labelledby="part">
      <h2 id="part">{text.tabs.checks}</h2>
      {checks.commitSha === null ? (
        <EmptyState title={partText.noCandidate} />
      ) : (
        <>
          <PartStatus part={checks} />
          <p>
            {partText.at} <Sha sha={checks.commitSha} href={release.candidateUrl} />
          </p>
          {rows.length === 0 ? (
            <EmptyState title={partText.none}>{policy.rules !== null && <p>{partText.noneHint}</p>}</EmptyState>
          ) : (
            <Table caption={partText.caption} columns={Object.values(partText.columns)}>
              {rows.map((check) => (
                <CheckRow
                  // Two runs can report checks of one name.
                  key={`${check.app} ${check.name} ${check.reported?.url}`}
                  check={check}
                  isCurrent={isCurrent}
                />
              ))}
            </Table>
          )}
        </>
      )}
    </section>
  );
}

function CheckRow({ check, isCurrent }: { readonly check: Check; readonly isCurrent: boolean }) {
  const { name, app, required, reported } = check;
  const kind: StatusKind = reported ? VARIANTS[reported.state] : 'waiting';
  return (
    <Row>
      <th scope="row">
        <ExternalLink href={reported?.url}>{name}</ExternalLink>
        <div className="quiet">{app ?? (reported ? partText.commitStatus : partText.anyApp)}</div>
      </th>
      <td>
        <StatusLabel kind={isCurrent ? kind : 'stale'}>
          {reported ? partText.states[reported.state] : partText.missing}
        </StatusLabel>
      </td>
      <td>
        {required ? partText.required : partText.notRequired}
        {required?.allowSkipped && <div className="quiet">{partText.mayBeSkipped}</div>}
      </td>
    </Row>
  );
}
