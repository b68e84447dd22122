import type { Schema } from '../../../api/client.js';
import { StatusLabel } from '../../../release-ui/status-label.js';
import { Sha } from '../../../ui/links.js';
import { Section } from '../../../ui/section.js';
import { Row, Table } from '../../../ui/table.js';
import { formatUtc } from '../../../ui/format-time.js';
import { approvalsText } from '../../../texts/en/release-parts.js';
import { text as historyText } from '../../../texts/en/history.js';
import { text } from '../../../texts/en/approval-record.js';
import { Sentences } from '../sentences.js';
import { UtcTime } from './utc-time.js';

type ApprovalRecord = Schema<'ApprovalRecord'>;

interface ReviewsProps extends Pick<ApprovalRecord, 'deployments'> {
  readonly decision: Schema<'RecordedDecision'>;
}

/** Who approved the evidence, as the decision counted it. Of a decision by other rules, who had approved at the deployment. */
export function Reviews({ decision: { id, approvals }, deployments }: ReviewsProps) {
  const approvers = deployments.find(({ decisionId }) => decisionId === id)?.approvers ?? [];
  return (
    <Section title={text.approvals}>
      {approvals !== null && <p>{text.given(approvals.given, approvals.required)}</p>}
      {approvers.length > 0 && <p>{text.approvers(approvers.join(', '))}</p>}
      {approvals?.reviews.length === 0 && approvals.given === 0 && <p>{text.noReviews}</p>}
      {approvals !== null && approvals.reviews.length > 0 && (
        <Table caption={text.approvalsCaption} columns={Object.values(text.approvalColumns)}>
          {approvals.reviews.map(({ login, state, counts, reason, commitSha, submittedAt }) => (
            <Row key={login}>
              <th scope="row">{login}</th>
              <td className="words">
                {approvalsText.states[state]}
                {commitSha !== null && (
                  <div className="quiet">
                    <Sha sha={commitSha} isWhole />
                  </div>
                )}
              </td>
              <td>
                {!counts
                  ? approvalsText.countsNot
                  : state === 'changes_requested'
                    ? approvalsText.blocks
                    : approvalsText.counts}
                {reason !== null && (
                  <div className="quiet" lang="en">
                    {reason}
                  </div>
                )}
              </td>
              <td>
                <UtcTime date={submittedAt} />
              </td>
            </Row>
          ))}
        </Table>
      )}
    </Section>
  );
}

/** Every waiver and break-glass request, also those that ended, with both users. */
export function Overrides({ overrides }: Pick<ApprovalRecord, 'overrides'>) {
  return (
    <Section title={text.overrides}>
      {overrides.length === 0 && <p>{text.noOverrides}</p>}
      {overrides.length > 0 && (
        <Table caption={text.overridesCaption} columns={Object.values(text.overrideColumns)}>
          {overrides.map((override) => (
            <OverrideRow key={override.id} override={override} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function OverrideRow({ override }: { readonly override: Schema<'RecordedRequest'> }) {
  const { kind, used, sha, reason, details, requestedBy, requestedAt, confirmedBy, confirmedAt } = override;
  const { withdrawnAt, expiresAt } = override;
  return (
    <Row>
      <th scope="row">
        {text.kinds[kind]}
        <div>
          <StatusLabel kind={used ? 'overridden' : 'neutral'}>{used ? text.used : text.unused}</StatusLabel>
        </div>
        <div className="quiet">
          <Sha sha={sha} isWhole />
        </div>
      </th>
      <td className="words">
        {reason}
        {details.length > 0 && <Sentences items={details} />}
      </td>
      <td>
        {requestedBy}
        <div className="quiet">
          <UtcTime date={requestedAt} />
        </div>
      </td>
      <td>
        {confirmedBy ?? text.unconfirmed}
        {confirmedAt !== null && (
          <div className="quiet">
            <UtcTime date={confirmedAt} />
          </div>
        )}
      </td>
      <td>
        {withdrawnAt === null ? <UtcTime date={expiresAt} /> : text.withdrawn(formatUtc(Date.parse(withdrawnAt)))}
      </td>
    </Row>
  );
}

/** The deployments of the release, with the user who deployed. */
export function Deployments({ deployments }: Pick<ApprovalRecord, 'deployments'>) {
  return (
    <Section title={text.deployments}>
      {deployments.length === 0 && <p>{text.noDeployments}</p>}
      {deployments.length > 0 && (
        <Table caption={text.deploymentsCaption} columns={Object.values(text.deploymentColumns)}>
          {deployments.map(({ id, deployedAt, kind, environment, deployedBy, candidateSha, candidateUrl, note }) => (
            <Row key={id}>
              <th scope="row">
                <UtcTime date={deployedAt} />
                <div className="quiet">
                  <Sha sha={candidateSha} href={candidateUrl} isWhole />
                </div>
              </th>
              <td>{historyText.kinds[kind]}</td>
              <td>{environment}</td>
              <td>
                {deployedBy ?? text.unknownUser}
                {note !== null && <div className="quiet">{note}</div>}
              </td>
            </Row>
          ))}
        </Table>
      )}
    </Section>
  );
}
