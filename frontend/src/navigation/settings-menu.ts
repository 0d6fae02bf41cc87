import { ChartColumn, Image, Inbox, Settings, Users } from 'lucide-react';
import type { DrawerGroup } from './drawer';

/**
 * The side menu of the admin settings. Texts are `settingsGroups.<name>` and `settingsLinks.<name>`;
 * as in the drawer, a link shows once its screen exists.
 */
export const settingsGroups: readonly DrawerGroup[] = [
  {
    name: 'permissions',
    links: [
      { name: 'users', route: 'adminUsers', icon: Users },
      { name: 'system', route: 'adminSystemSettings', icon: Settings },
      { name: 'report', route: 'reportSettings', icon: ChartColumn },
    ],
  },
  {
    name: 'actions',
    links: [
      { name: 'deadLetters', route: 'deadLetters', icon: Inbox },
      { name: 'editLogo', route: 'editLogo', icon: Image },
    ],
  },
];
