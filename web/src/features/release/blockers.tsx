import { Link, useParams } from '@tanstack/react-router';
import { getTraits } from '../../../../src/domain/facts/condition-catalogue.js';
import type { Schema } from '../../api/client.js';
import { useIsAdmin } from '../../api/session.query.js';
import { ConditionList } from '../../release-ui/condition-list.js';
import { StatusLabel } from '../../release-ui/status-label.js';
import { withKeys } from '../../ui/list-keys.js';
import { Moment } from '../../ui/relative-time.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/release.js';
import { groupByActor, listOwnActors } from './order-actors.js';
import { ReopenButton } from './reopen-dialog.js';
import { useRelease } from './release.query.js';
import classes from './release.module.css';
import { StartButton } from './start-dialog.js';

/** The conditions that keep the gate closed, by actor; the warnings; and the conditions that overrides set aside. */
export function Blockers() {
  const { release, reasons, warnings, overrides, viewer } = useRelease();
  const isAdmin = useIsAdmin();
  const kind = release.outcome === 'blocked' ? 'failed' : 'waiting';
  return (
    <>
      {reasons.length > 0 && (
        <section aria-labelledby="blockers" className={classes['part']}>
          <h2 id="blockers">{text.blockers.title}</h2>
          {groupByActor(reasons, listOwnActors(viewer, isAdmin)).map(({ actor, isOwn, conditions }) => (
            <section key={actor} aria-labelledby={`blockers-${actor}`}>
              <h3 id={`blockers-${actor}`} className={classes['actor']}>
                {common.actors[actor]}
                {isOwn && <span className={classes['own']}>{text.blockers.yours}</span>}
              </h3>
              <ConditionList
                conditions={conditions}
                kind={kind}
                label={text.pipeline.unmet}
                renderMore={(condition) => <More condition={condition} isAdmin={isAdmin} />}
              />
            </section>
          ))}
        </section>
      )}
      {warnings.length > 0 && (
        <section aria-labelledby="warnings" className={classes['part']}>
          <h2 id="warnings">{text.blockers.warnings}</h2>
          <p className="quiet">{text.blockers.warningsHint}</p>
          <ConditionList conditions={warnings} kind="neutral" label={text.blockers.warning} hasActors />
        </section>
      )}
      {overrides.length > 0 && (
        <section aria-labelledby="overrides-in-force" className={classes['part']}>
          <h2 id="overrides-in-force">{text.blockers.overrides}</h2>
          <ul className={classes['plain']}>
            {overrides.map((override) => (
              <OverrideItem key={override.id} override={override} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** A link to the facts of a condition, its actions, and for admins whether it can be set aside. */
function More({ condition, isAdmin }: { readonly condition: Schema<'ReleaseCondition'>; readonly isAdmin: boolean }) {
  const { code, override } = condition;
  const params = useParams({ from: '/session/w/$org/releases/$id' });
  const part = getTraits(code).area;
  return (
    <>
      {part !== null && (
        <p className="quiet">
          {text.blockers.details}{' '}
          <Link to={`/w/$org/releases/$id/${part}`} params={params} hash="parts">
            {text.blockers.toParts[part]}
          </Link>
        </p>
      )}
      {isAdmin && override !== 'none' && (
        <p className="quiet">
          {text.blockers.overridable[override]}{' '}
          <Link to="/w/$org/releases/$id/overrides" params={params} hash="parts">
            {text.blockers.toOverrides}
          </Link>
        </p>
      )}
      {code === 'not_started' && <StartButton />}
      {code === 'evidence_pull_closed' && <ReopenButton />}
    </>
  );
}

function OverrideItem({
  override: { kind, reason, expiresAt, conditions },
}: {
  readonly override: Schema<'Override'>;
}) {
  return (
    <li className={classes['override']}>
      <StatusLabel kind="overridden">
        {text.blockers.kinds[kind]} {text.blockers.until} <Moment date={expiresAt} />
      </StatusLabel>{' '}
      {reason}
      <p className="quiet">{text.blockers.covers}</p>
      <ul className="quiet">
        {withKeys(conditions, ({ code }) => code).map(([key, { detail }]) => (
          <li key={key} lang="en">
            {detail}
          </li>
        ))}
      </ul>
    </li>
  );
}
