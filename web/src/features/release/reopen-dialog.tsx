import { Button } from '@primer/react';
import { useState } from 'react';
import { api, readBody } from '../../api/client.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/release.js';
import { useRelease } from './release.query.js';

const partText = text.actions.reopen;

/** Opens another evidence pull request after one was closed. */
export function ReopenButton() {
  const { milestoneId: id } = useRelease().release;
  const [isOpen, setIsOpen] = useState(false);
  const action = useAction({
    run: () => readBody(api.POST('/api/milestones/{id}/evidence-pr', { params: { path: { id } } })),
    changes: [['release', id], ['releases']],
    done: () => partText.done,
    onDone: () => setIsOpen(false),
  });
  return (
    <>
      <Button size="small" onClick={() => setIsOpen(true)}>
        {partText.open}
      </Button>
      {isOpen && (
        <ActionDialog
          title={partText.title}
          confirm={partText.open}
          action={action}
          onConfirm={() => action.start()}
          onClose={() => setIsOpen(false)}
        >
          <p>{partText.effect}</p>
        </ActionDialog>
      )}
    </>
  );
}
