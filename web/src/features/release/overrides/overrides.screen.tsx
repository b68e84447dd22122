import { Heading } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../../../api/client.js';
import { useIsAdmin, useMe } from '../../../api/session.query.js';
import { AdminButton } from '../../../release-ui/admin-button.js';
import { StatusLabel } from '../../../release-ui/status-label.js';
import { QueryRegion } from '../../../ui/query-region.js';
import { ReasonedButton } from '../../../ui/reasoned-button.js';
import { StalePart } from '../../../ui/states.js';
import { common } from '../../../texts/en/common.js';
import { text } from '../../../texts/en/overrides.js';
import { useRelease } from '../release.query.js';
import { divideForBreakGlass, groupWaivable } from './coverage.js';
import { ConfirmOverrideDialog, WithdrawOverrideDialog } from './override-dialogs.js';
import { OverrideFacts } from './override-facts.js';
import classes from './overrides.module.css';
import { overridesQuery, type Override } from './overrides.query.js';
import { RequestBreakGlassDialog } from './request-break-glass-dialog.js';
import { RequestWaiverDialog } from './request-waiver-dialog.js';

type Details = Schema<'ReleaseDetails'>;

/** The waivers and break-glass requests of a release. Two admins decide about each. */
export function OverridesScreen() {
  const details = useRelease();
  const query = useQuery(overridesQuery(details.release.milestoneId));
  return (
    <QueryRegion query={query} failed={text.failed} rows={4}>
      {(overrides, isStale) => (
        <StalePart isStale={isStale}>
          <Waivers details={details} overrides={overrides.filter(({ kind }) => kind === 'waiver')} />
          <BreakGlass details={details} overrides={overrides.filter(({ kind }) => kind === 'break_glass')} />
        </StalePart>
      )}
    </QueryRegion>
  );
}

interface PartProps {
  readonly details: Details;
  readonly overrides: readonly Override[];
}

function Waivers({ details, overrides }: PartProps) {
  const [isOpen, setIsOpen] = useState(false);
  const groups = groupWaivable(details);
  const obstacle = useObstacle(details, groups.length > 0 ? null : text.nothingToWaive);
  return (
    <section className={classes['part']}>
      <Heading as="h2" variant="medium">
        {text.waivers}
      </Heading>
      <p>{text.waiversLead}</p>
      <p className={classes['request']}>
        <ReasonedButton reason={obstacle} onClick={() => setIsOpen(true)}>
          {text.requestWaiver}
        </ReasonedButton>
      </p>
      <Entries details={details} overrides={overrides} none={text.noWaivers} />
      {isOpen && <RequestWaiverDialog release={details.release} groups={groups} onClose={() => setIsOpen(false)} />}
    </section>
  );
}

function BreakGlass({ details, overrides }: PartProps) {
  const [sha, setSha] = useState<string | null>(null);
  const { covered } = divideForBreakGlass(details);
  const obstacle = useObstacle(details, covered.length > 0 ? null : text.nothingToOverride);
  return (
    <section className={classes['part']}>
      <Heading as="h2" variant="medium">
        {text.breakGlass}
      </Heading>
      <p>{text.breakGlassLead}</p>
      <p className={classes['request']}>
        <ReasonedButton variant="danger" reason={obstacle} onClick={() => setSha(details.release.candidateSha)}>
          {text.requestBreakGlass}
        </ReasonedButton>
      </p>
      <Entries details={details} overrides={overrides} none={text.noBreakGlass} />
      {sha !== null && <RequestBreakGlassDialog details={details} sha={sha} onClose={() => setSha(null)} />}
    </section>
  );
}

/** Why the user can request no override. Null if the user can. `otherwise` is the reason that concerns one kind of override. */
function useObstacle({ release }: Details, otherwise: string | null): string | null {
  const isAdmin = useIsAdmin();
  if (!isAdmin) return common.onlyAdmins;
  if (release.deployedAt !== null) return text.shipped;
  if (release.cancelledAt !== null) return text.cancelled;
  return release.candidateSha === null ? text.noCandidate : otherwise;
}

interface EntriesProps extends PartProps {
  readonly none: string;
}

type Opened = readonly [action: 'confirm' | 'withdraw', override: Override];

function Entries({ details, overrides, none }: EntriesProps) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const Dialog = opened?.[0] === 'confirm' ? ConfirmOverrideDialog : WithdrawOverrideDialog;
  return (
    <>
      {overrides.length === 0 && <p className="quiet">{none}</p>}
      <ul className={classes['entries']}>
        {overrides.map((override) => (
          <Entry
            key={override.id}
            details={details}
            override={override}
            onConfirm={() => setOpened(['confirm', override])}
            onWithdraw={() => setOpened(['withdraw', override])}
          />
        ))}
      </ul>
      {opened && <Dialog details={details} override={opened[1]} onClose={() => setOpened(null)} />}
    </>
  );
}

interface EntryProps {
  readonly details: Details;
  readonly override: Override;
  readonly onConfirm: () => void;
  readonly onWithdraw: () => void;
}

function Entry({ details, override, onConfirm, onWithdraw }: EntryProps) {
  const me = useMe();
  const isOwn = override.requestedById === me?.user.id;
  const isWaiting = override.confirmedBy === null;
  return (
    <li id={override.id} tabIndex={-1}>
      {isWaiting ? (
        <StatusLabel kind="waiting">{text.states.waiting}</StatusLabel>
      ) : details.overrides.some(({ id }) => id === override.id) ? (
        <StatusLabel kind="overridden">{text.states.inForce}</StatusLabel>
      ) : (
        <StatusLabel kind="neutral">{text.states.confirmed}</StatusLabel>
      )}
      <OverrideFacts override={override} release={details.release} />
      <div className={classes['request']}>
        {isWaiting && (
          <AdminButton otherwise={isOwn ? text.ownRequest : null} onClick={onConfirm}>
            {text.confirm}
          </AdminButton>
        )}
        <AdminButton onClick={onWithdraw}>{text.withdraw}</AdminButton>
      </div>
    </li>
  );
}
