import { DownloadIcon } from '@primer/octicons-react';
import { Button, LinkButton } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { getTraits } from '../../../../../src/domain/facts/condition-catalogue.js';
import { ApiError, type Schema } from '../../../api/client.js';
import { downloadHref } from '../../../api/download-href.js';
import { StatusLabel } from '../../../release-ui/status-label.js';
import { formatUtc } from '../../../ui/format-time.js';
import { Sha } from '../../../ui/links.js';
import { withKeys } from '../../../ui/list-keys.js';
import { QueryRegion } from '../../../ui/query-region.js';
import { Facts, ScreenHead } from '../../../ui/screen.js';
import { Section } from '../../../ui/section.js';
import { common } from '../../../texts/en/common.js';
import { text } from '../../../texts/en/approval-record.js';
import { NoRelease } from '../no-release.js';
import classes from '../sentences.module.css';
import { approvalRecordQuery } from './approval-record.query.js';
import { DecidingEvidence, PublishedDocuments } from './recorded-evidence.js';
import { Deployments, Overrides, Reviews } from './recorded-users.js';
import { UtcTime } from './utc-time.js';
import { Verification } from './verification.js';

type ApprovalRecord = Schema<'ApprovalRecord'>;

const NOT_FOUND = 404;

/** How a release was approved, on one page for auditors: to read, to print and to link to. */
export function ApprovalRecordScreen() {
  const { org, id } = useParams({ from: '/session/w/$org/releases/$id/approval' });
  const query = useQuery(approvalRecordQuery(id));
  const release = query.data?.release;
  const name = release && `${release.repo} ${release.version}`;
  if (query.data === undefined && query.error instanceof ApiError && query.error.status === NOT_FOUND) {
    return (
      <>
        <ScreenHead title={text.heading} documentTitle={text.heading} />
        <NoRelease />
      </>
    );
  }
  return (
    <>
      <ScreenHead
        title={name ? text.title(name) : text.heading}
        documentTitle={name ? text.documentTitle(name) : text.heading}
      >
        <Button onClick={() => print()}>{text.print}</Button>
        <LinkButton
          leadingVisual={DownloadIcon}
          href={downloadHref(`/api/milestones/${id}/audit-pack`, org)}
          download=""
        >
          {text.auditPack}
        </LinkButton>
      </ScreenHead>
      <QueryRegion query={query} failed={text.failed} rows={12}>
        {(record) => <RecordParts record={record} org={org} />}
      </QueryRegion>
    </>
  );
}

function RecordParts({ record, org }: { readonly record: ApprovalRecord; readonly org: string }) {
  const { release, decision, evidence, moreEvidence, overrides, pulls, deployments } = record;
  return (
    <>
      <p>
        <strong>{text.answer[findAnswer(record)]}</strong>
      </p>
      <p className="quiet">{text.readAt(formatUtc(Date.parse(record.readAt)), location.origin)}</p>
      <Decision release={release} decision={decision} org={org} />
      {decision !== null && (
        <>
          <Reviews decision={decision} deployments={deployments} />
          <Requirements stages={decision.stages} />
          <DecidingEvidence evidence={evidence} more={moreEvidence} />
        </>
      )}
      <Overrides overrides={overrides} />
      <PublishedDocuments pulls={pulls} />
      <Deployments deployments={deployments} />
      <Verification release={release} />
    </>
  );
}

function findAnswer({ release, decision }: ApprovalRecord): keyof typeof text.answer {
  if (decision === null) return 'none';
  if (!decision.open) return 'closed';
  return release.deployedAt === null ? 'open' : 'shipped';
}

function Decision({ release, decision, org }: Pick<ApprovalRecord, 'release' | 'decision'> & { readonly org: string }) {
  const { milestoneId: id, repo, version } = release;
  const link = (
    <Link to="/w/$org/releases/$id" params={{ org, id }}>
      {release.org}/{repo} {version}
    </Link>
  );
  return (
    <Section title={text.decision}>
      <Facts
        entries={
          decision === null
            ? [[text.facts.release, link]]
            : [
                [text.facts.release, link],
                [
                  text.facts.result,
                  <StatusLabel key="result" kind={decision.open ? 'opened' : 'closed'}>
                    {decision.open ? text.open : text.closed}
                  </StatusLabel>,
                ],
                [text.facts.time, <UtcTime key="time" date={decision.at} />],
                [text.facts.stage, common.stages[decision.stage]],
                [
                  text.facts.commit,
                  decision.candidateSha && (
                    <Sha
                      key="commit"
                      sha={decision.candidateSha}
                      href={decision.candidateSha === release.candidateSha ? release.candidateUrl : null}
                      isWhole
                    />
                  ),
                ],
                [text.facts.policy, decision.policyDigest && <code key="policy">{decision.policyDigest}</code>],
                [text.facts.set, decision.setDigest && <code key="set">{decision.setDigest}</code>],
                [text.facts.rules, decision.rules],
                [
                  text.facts.id,
                  <Link
                    key="id"
                    to="/w/$org/releases/$id/decisions/$decisionId"
                    params={{ org, id, decisionId: decision.id }}
                  >
                    <code>{decision.id}</code>
                  </Link>,
                ],
              ]
        }
      />
      {decision !== null && decision.stages === null && (
        <p>{decision.rulesChanged ? text.otherRules(decision.rules) : text.notDerived}</p>
      )}
      {decision !== null && decision.reasons.length > 0 && (
        <>
          <h3>{text.reasons}</h3>
          <ul className={classes['list']}>
            {withKeys(decision.reasons, ({ code }) => code).map(([key, { code, detail }]) => (
              <li key={key}>
                <strong>{getTraits(code).title}.</strong> <span lang="en">{detail}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Requirements({ stages }: Pick<NonNullable<ApprovalRecord['decision']>, 'stages'>) {
  if (stages === null) return null;
  const met = stages.filter((stage) => stage.met.length > 0);
  return (
    <Section title={text.requirements}>
      {met.length === 0 && <p>{text.noRequirements}</p>}
      <Facts
        entries={met.map(
          (stage) =>
            [
              common.stages[stage.stage],
              <ul key={stage.stage} lang="en" className={classes['list']}>
                {withKeys(stage.met, ({ code }) => code).map(([key, { detail }]) => (
                  <li key={key}>{detail}</li>
                ))}
              </ul>,
            ] as const,
        )}
      />
    </Section>
  );
}
