import { PartStatus } from '../../../release-ui/part-status.js';
import { StatusLabel, type StatusLook } from '../../../release-ui/status-label.js';
import { ExternalLink, Sha } from '../../../ui/links.js';
import { EmptyState } from '../../../ui/states.js';
import { Table } from '../../../ui/table.js';
import { checksText as words } from '../../../words/en/release-parts.js';
import { text } from '../../../words/en/release.js';
import { useRelease } from '../release.query.js';
import { listChecks, type Check } from './list-checks.js';

const LOOKS = { success: 'good', failure: 'failed', pending: 'running', skipped: 'neutral' } as const;

/** What has reported at the candidate, and what the policy requires. */
export function ChecksScreen() {
  const { checks, policy, release } = useRelease();
  const rows = listChecks(checks.reported, policy.rules);
  const isCurrent = checks.status === 'current';
  return (
    <section aria-labelledby="part">
      <h2 id="part">{text.tabs.checks}</h2>
      {checks.commitSha === null ? (
        <EmptyState title={words.noCandidate} />
      ) : (
        <>
          <PartStatus part={checks} />
          <p>
            {words.at} <Sha sha={checks.commitSha} href={release.candidateUrl} />
          </p>
          {rows.length === 0 ? (
            <EmptyState title={words.none}>{policy.rules !== null && <p>{words.noneHint}</p>}</EmptyState>
          ) : (
            <Table caption={words.caption} columns={Object.values(words.columns)}>
              {rows.map((check) => (
                <CheckRow key={`${check.app} ${check.name}`} check={check} isCurrent={isCurrent} />
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
  const look: StatusLook = reported ? LOOKS[reported.state] : 'waiting';
  return (
    <tr>
      <th scope="row">
        <ExternalLink href={reported?.url}>{name}</ExternalLink>
        <div className="quiet">{app ?? (reported ? words.commitStatus : words.anyApp)}</div>
      </th>
      <td>
        <StatusLabel look={isCurrent ? look : 'stale'}>
          {reported ? words.states[reported.state] : words.missing}
        </StatusLabel>
      </td>
      <td>
        {required ? words.required : words.notRequired}
        {required?.allowSkipped && <div className="quiet">{words.mayBeSkipped}</div>}
      </td>
    </tr>
  );
}
