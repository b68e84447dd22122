import { Button } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../../api/client.js';
import { useIsAdmin } from '../../api/session.query.js';
import { AdminButton } from '../../release-ui/admin-button.js';
import { daysUntil, formatDays, formatLocalSpan } from '../../release-ui/freeze-days.js';
import { freezesQuery } from '../../release-ui/freezes.query.js';
import { StatusLabel } from '../../release-ui/status-label.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime, useNow } from '../../ui/relative-time.js';
import { ScreenHead } from '../../ui/screen.js';
import { EmptyState } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { text } from '../../texts/en/freezes.js';
import { CreateFreezeDialog } from './create-freeze-dialog.js';
import { FreezeLine } from './freeze-line.js';
import { LiftFreezeDialog } from './lift-freeze-dialog.js';

/** The current and future freezes of the workspace. Admins create and delete them. */
export function FreezesScreen() {
  const isAdmin = useIsAdmin();
  const query = useQuery(freezesQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [lifting, setLifting] = useState<Schema<'Freeze'> | null>(null);
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        <AdminButton variant="primary" onClick={() => setIsCreating(true)}>
          {text.create}
        </AdminButton>
      </ScreenHead>
      <p>{text.lead}</p>
      <QueryRegion query={query} failed={text.failed}>
        {(freezes, isStale) =>
          freezes.length > 0 ? (
            <>
              <FreezeLine freezes={freezes} />
              <Table
                caption={text.caption}
                columns={Object.values(text.columns).filter((title) => isAdmin || title !== text.columns.actions)}
                isStale={isStale}
              >
                {freezes.map((freeze) => (
                  <FreezeRow key={freeze.id} freeze={freeze} onLift={isAdmin ? () => setLifting(freeze) : null} />
                ))}
              </Table>
            </>
          ) : (
            <EmptyState title={text.none}>
              <p>{isAdmin ? text.noneAdmin : text.noneMember}</p>
            </EmptyState>
          )
        }
      </QueryRegion>
      {isCreating && <CreateFreezeDialog onClose={() => setIsCreating(false)} />}
      {lifting && <LiftFreezeDialog freeze={lifting} onClose={() => setLifting(null)} />}
    </>
  );
}

interface FreezeRowProps {
  readonly freeze: Schema<'Freeze'>;
  /** Null for members. */
  readonly onLift: (() => void) | null;
}

function FreezeRow({ freeze, onLift }: FreezeRowProps) {
  const days = daysUntil(freeze, useNow());
  return (
    <Row>
      <th scope="row">
        {formatDays(freeze)}
        <div className="quiet">{text.local(formatLocalSpan(freeze))}</div>
      </th>
      <td>
        {days === 0 ? (
          <StatusLabel kind="blocked">{text.holds}</StatusLabel>
        ) : (
          <StatusLabel kind="waiting">{text.starts(days ?? 0)}</StatusLabel>
        )}
      </td>
      <td className="words">{freeze.reason}</td>
      <td>
        <RelativeTime date={freeze.createdAt} />
        <div className="quiet">{text.by(freeze.createdBy ?? text.unknownUser)}</div>
      </td>
      {onLift && (
        <td>
          <Button variant="danger" size="small" aria-label={text.liftLabel(formatDays(freeze))} onClick={onLift}>
            {text.lift}
          </Button>
        </td>
      )}
    </Row>
  );
}
