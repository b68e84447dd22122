import { Button, Select } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../../api/client.js';
import { UpgradeStatusLabel } from '../../release-ui/upgrade-status-label.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { ScreenHead, Tools } from '../../ui/screen.js';
import { EmptyState } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { text } from '../../texts/en/billing.js';
import { ApproveDialog, DowngradeDialog, RejectDialog } from './decision-dialogs.js';
import { upgradeRequestsQuery } from './upgrade-requests.query.js';
import { parseUpgradeRequestsSearch, STATUSES } from './upgrade-requests.search.js';
import classes from './upgrade-requests.module.css';

/** The requests of all workspaces for the pro plan, which platform admins decide. */
export function UpgradeRequestsScreen() {
  return (
    <>
      <ScreenHead title={text.platformTitle} documentTitle={text.platformTitle} />
      <Requests />
    </>
  );
}

function Requests() {
  const search = useSearch({ from: '/session/platform/upgrade-requests' });
  const navigate = useNavigate({ from: '/platform/upgrade-requests' });
  const query = useQuery(upgradeRequestsQuery(search));
  const pagination = query.data?.pagination;
  return (
    <>
      <p>{text.platformLead}</p>
      <Tools>
        <Select
          aria-label={text.statusFilter}
          value={search.status ?? ''}
          onChange={({ target }) => void navigate({ search: parseUpgradeRequestsSearch({ status: target.value }) })}
        >
          <Select.Option value="">{text.everyStatus}</Select.Option>
          {STATUSES.map((status) => (
            <Select.Option key={status} value={status}>
              {text.statuses[status]}
            </Select.Option>
          ))}
        </Select>
        <output>{pagination && text.count(pagination.total)}</output>
      </Tools>
      <QueryRegion query={query} failed={text.platformFailed}>
        {({ requests }, isStale) =>
          requests.length > 0 ? (
            <>
              <Table caption={text.platformCaption} columns={Object.values(text.platformColumns)} isStale={isStale}>
                {requests.map((request) => (
                  <RequestRow key={request.id} request={request} />
                ))}
              </Table>
              <Pager pagination={pagination} />
            </>
          ) : (
            <EmptyState title={search.status ? text.noMatch : text.noRequests} />
          )
        }
      </QueryRegion>
    </>
  );
}

type OpenDialog = 'approve' | 'reject' | 'downgrade';

function RequestRow({ request }: { readonly request: Schema<'PlatformUpgradeRequest'> }) {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const { org, status, requestedAt, requestedBy, decidedAt, note, reason, paymentReference } = request;
  const close = (): void => setOpen(null);
  const action = (name: OpenDialog) => (
    <Button size="small" aria-label={text.actionFor(text[name], org)} onClick={() => setOpen(name)}>
      {text[name]}
    </Button>
  );
  return (
    <Row>
      <th scope="row">{org}</th>
      <td>
        <UpgradeStatusLabel status={status} />
        {decidedAt !== null && (
          <div className="quiet">
            <RelativeTime date={decidedAt} />
          </div>
        )}
      </td>
      <td>
        <RelativeTime date={requestedAt} />
        {requestedBy !== null && <div className="quiet">{text.by(requestedBy)}</div>}
      </td>
      <td>
        {note}
        {reason !== null && <div className="quiet">{`${text.reason}: ${reason}`}</div>}
        {paymentReference !== null && <div className="quiet">{`${text.reference}: ${paymentReference}`}</div>}
      </td>
      <td>
        <span className={classes['actions']}>
          {status === 'open' && (
            <>
              {action('approve')}
              {action('reject')}
            </>
          )}
          {status === 'approved' && action('downgrade')}
        </span>
        {open === 'approve' && <ApproveDialog request={request} onClose={close} />}
        {open === 'reject' && <RejectDialog request={request} onClose={close} />}
        {open === 'downgrade' && <DowngradeDialog request={request} onClose={close} />}
      </td>
    </Row>
  );
}
