import { CommandPaletteIcon, CreditCardIcon, OrganizationIcon, SignOutIcon } from '@primer/octicons-react';
import { ActionList, ActionMenu, Avatar } from '@primer/react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readBody, type Schema } from '../api/client.js';
import { sendToTabs } from '../live/tabs.js';
import { text } from '../texts/en/frame.js';
import { notify } from '../ui/notices.js';
import classes from './header.module.css';
import { COLOR_MODES, readColorMode, setColorMode } from './color-mode.js';

interface AccountMenuProps {
  readonly user: Schema<'User'>;
  readonly isPlatformAdmin: boolean;
  readonly onOpenShortcuts: (() => void) | undefined;
}

/** The menu of the user: workspaces, colors, shortcuts, and the end of the session. */
export function AccountMenu({ user, isPlatformAdmin, onOpenShortcuts }: AccountMenuProps) {
  const client = useQueryClient();
  const [colorMode, setMode] = useState(readColorMode);
  const signOut = useMutation({
    mutationFn: () => readBody(api.POST('/api/auth/logout')),
    onSuccess: () => {
      client.clear();
      sendToTabs({ signedOut: true });
      location.assign('/sign-in');
    },
    onError: ({ message }) => notify(text.signOutFailed(message)),
  });
  return (
    <ActionMenu>
      <ActionMenu.Button
        variant="invisible"
        aria-label={text.account(user.login)}
        leadingVisual={<Avatar src={user.avatarUrl} alt="" size={20} />}
      >
        <span className={classes['login']}>{user.login}</span>
      </ActionMenu.Button>
      <ActionMenu.Overlay>
        <ActionList>
          <ActionList.LinkItem href="/workspaces">
            <ActionList.LeadingVisual>
              <OrganizationIcon />
            </ActionList.LeadingVisual>
            {text.switchWorkspace}
          </ActionList.LinkItem>
          {isPlatformAdmin && (
            <ActionList.LinkItem href="/platform/upgrade-requests">
              <ActionList.LeadingVisual>
                <CreditCardIcon />
              </ActionList.LeadingVisual>
              {text.platform}
            </ActionList.LinkItem>
          )}
          {onOpenShortcuts && (
            <ActionList.Item onSelect={onOpenShortcuts}>
              <ActionList.LeadingVisual>
                <CommandPaletteIcon />
              </ActionList.LeadingVisual>
              {text.shortcuts}
            </ActionList.Item>
          )}
          <ActionList.Divider />
          <ActionList.Group selectionVariant="single">
            <ActionList.GroupHeading>{text.colorMode}</ActionList.GroupHeading>
            {COLOR_MODES.map((mode) => (
              <ActionList.Item
                key={mode}
                selected={mode === colorMode}
                onSelect={() => {
                  setColorMode(mode);
                  setMode(mode);
                }}
              >
                {text.colorModes[mode]}
              </ActionList.Item>
            ))}
          </ActionList.Group>
          <ActionList.Divider />
          <ActionList.Item disabled={signOut.isPending} onSelect={() => signOut.mutate()}>
            <ActionList.LeadingVisual>
              <SignOutIcon />
            </ActionList.LeadingVisual>
            {text.signOut}
          </ActionList.Item>
        </ActionList>
      </ActionMenu.Overlay>
    </ActionMenu>
  );
}
