import { Textarea } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { AdminButton } from '../../release-ui/admin-button.js';
import { UpgradeStatusLabel } from '../../release-ui/upgrade-status-label.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { Field } from '../../ui/field.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Facts, ScreenHead } from '../../ui/screen.js';
import { Section } from '../../ui/section.js';
import { StalePart } from '../../ui/states.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/billing.js';
import { billingQuery } from '../../api/billing.query.js';

/** The plan of the workspace, how much of it is in use, and the request for the pro plan. */
export function BillingScreen() {
  const query = useQuery(billingQuery);
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title} />
      <QueryRegion query={query} failed={text.failed} rows={3}>
        {({ plan, managedRepositories: { used, limit }, storage, request }, isStale) => (
          <StalePart isStale={isStale}>
            <Facts
              entries={[
                [text.facts.plan, text.plans[plan]],
                [text.facts.repositories, text.repositories(used, limit)],
                [text.facts.storage, text.storage(storage.used, storage.limit)],
              ]}
            />
            <p className="quiet">{text.managedHint}</p>
            {limit !== null && used >= limit && <p>{text.full}</p>}
            {request && <Request request={request} />}
            {plan === 'free' && request?.status !== 'open' && <Upgrade />}
          </StalePart>
        )}
      </QueryRegion>
    </>
  );
}

function Upgrade() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section title={text.upgrade}>
      <p>{text.upgradeHint}</p>
      <AdminButton variant="primary" onClick={() => setIsOpen(true)}>
        {text.request}
      </AdminButton>
      {isOpen && <UpgradeDialog onClose={() => setIsOpen(false)} />}
    </Section>
  );
}

function UpgradeDialog({ onClose }: { readonly onClose: () => void }) {
  const [note, setNote] = useState('');
  const action = useAction({
    run: () => {
      const body = note.trim() === '' ? {} : { note: note.trim() };
      return readBody(api.POST('/api/billing/upgrade-requests', { body }));
    },
    changes: [['billing']],
    done: () => text.requestDone,
    onDone: onClose,
  });
  return (
    <ActionDialog
      title={text.request}
      confirm={text.request}
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <p>{text.upgradeHint}</p>
      <Field label={text.note} hint={text.noteHint} isOptional>
        {(attributes) => (
          <Textarea {...attributes} block rows={3} value={note} onChange={({ target }) => setNote(target.value)} />
        )}
      </Field>
    </ActionDialog>
  );
}

/** The last request, with its decision. */
function Request({ request }: { readonly request: Schema<'UpgradeRequest'> }) {
  const [isOpen, setIsOpen] = useState(false);
  const { id, status, note, requestedAt, requestedBy, decidedAt, reason, paymentReference } = request;
  const action = useAction({
    run: () => readBody(api.DELETE('/api/billing/upgrade-requests/{id}', { params: { path: { id } } })),
    changes: [['billing']],
    done: () => text.withdrawDone,
    onDone: () => setIsOpen(false),
  });
  const { requestFacts } = text;
  return (
    <Section title={text.requestTitle} label={<UpgradeStatusLabel status={status} />}>
      <Facts
        entries={[
          [
            requestFacts.requested,
            <Fragment key="requested">
              <RelativeTime date={requestedAt} /> {requestedBy !== null && text.by(requestedBy)}
            </Fragment>,
          ],
          [requestFacts.note, note],
          [requestFacts.decided, decidedAt === null ? null : <RelativeTime key="decided" date={decidedAt} />],
          [requestFacts.reason, reason],
          [requestFacts.reference, paymentReference],
        ]}
      />
      {status === 'open' && <AdminButton onClick={() => setIsOpen(true)}>{text.withdraw}</AdminButton>}
      {isOpen && (
        <ActionDialog
          title={text.withdraw}
          confirm={text.withdraw}
          isDangerous
          action={action}
          onConfirm={action.start}
          onClose={() => setIsOpen(false)}
        >
          <p>{text.withdrawEffect}</p>
        </ActionDialog>
      )}
    </Section>
  );
}
