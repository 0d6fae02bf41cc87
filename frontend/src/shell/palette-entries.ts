import type { TFunction } from 'i18next';
import { ClipboardList, History, type LucideIcon, Pencil } from 'lucide-react';
import { type RoleCheck, WRITE_ROLES } from '@/auth/roles';
import type { VisibleLink } from '@/navigation/drawer';
import { navigationRecords, type QuickSearchInfo } from '@/navigation/records';
import { routes } from '@/routing/routes';
import { quickSearchAddress } from './quick-search-address';

export interface PaletteEntry {
  name: string;
  icon: LucideIcon;
  label: string;
  note?: string | undefined;
  address: string;
}

type Texts = TFunction<['shell', 'navigation']>;

/** What can be done with the first delivery that was found. */
export function actionsOn(
  deliveryId: string,
  hasRole: (roles: RoleCheck) => boolean,
  t: Texts,
): PaletteEntry[] {
  const history = navigationRecords.deliveryStatusHistories.quickSearch;
  return [
    ...(hasRole(WRITE_ROLES)
      ? [{ name: 'edit', icon: Pencil, address: routes.editDelivery({ deliveryId }) }]
      : []),
    { name: 'form', icon: ClipboardList, address: routes.viewForm({ deliveryId }) },
    ...(history
      ? [{ name: 'history', icon: History, address: quickSearchAddress('', history, deliveryId) }]
      : []),
  ].map((action) => ({ ...action, label: t(`palette.actions.${action.name}`) }));
}

/** The lists that can be searched for the text by their Delivery Doc, the deliveries first. */
export function searchesFor(text: string, links: readonly VisibleLink[], t: Texts): PaletteEntry[] {
  const byDoc = navigationRecords.deliveries.quickSearch?.label;
  const isOther = ({ route }: VisibleLink) => Number(route !== 'deliveries');
  const sorted = links.toSorted((one, other) => isOther(one) - isOther(other));
  return sorted.flatMap(({ name, icon, route }) => {
    const search: QuickSearchInfo | undefined = navigationRecords[route].quickSearch;
    if (!text || !search || search.label !== byDoc) return [];
    return [
      {
        name,
        icon,
        label: t(`links.${name}`, { ns: 'navigation' }),
        note: t('palette.with', { field: t(search.label, { ns: 'navigation' }), text }),
        address: quickSearchAddress('', search, text),
      },
    ];
  });
}
