import type { ReactNode } from 'react';
import { useAuth } from '@/auth/use-auth';
import { type VisibleGroup, visibleGroups } from '@/navigation/drawer';
import { withParents } from '@/navigation/records';
import { settingsGroups } from '@/navigation/settings-menu';
import { useCurrentRecord } from '@/navigation/use-current-record';
import { cn } from '@/ui/cn';
import { SettingsMenu } from './settings-menu';
import { SettingsTabs } from './settings-tabs';

interface SettingsFrameProps {
  groups?: readonly VisibleGroup[];
  children: ReactNode;
}

/** The pages of the admin settings with their menu beside them, or above where there is no beside. */
export function SettingsFrame({ groups, children }: SettingsFrameProps) {
  const { hasRole } = useAuth();
  const trail = withParents(useCurrentRecord()).map(({ name }) => name);
  const shown = groups ?? visibleGroups(hasRole, settingsGroups);
  // A single tab leads nowhere else.
  const hasTabs = shown.flatMap(({ links }) => links).length > 1;
  return (
    <div className="flex min-w-0 flex-1 max-xl:flex-col">
      <SettingsMenu groups={shown} trail={trail} />
      {hasTabs && <SettingsTabs groups={shown} trail={trail} />}
      <div
        className={cn(
          'flex min-w-0 flex-1 flex-col',
          // Lists that fill the window leave room for the tabs as well.
          hasTabs && 'max-xl:[--shell-top:calc(var(--news)+93px)]',
        )}
      >
        {children}
      </div>
    </div>
  );
}
