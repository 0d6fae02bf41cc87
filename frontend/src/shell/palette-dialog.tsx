import { Command } from 'cmdk';
import { CircleUser, CornerDownLeft, Package, Search } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { type VisibleLink, visibleGroups } from '@/navigation/drawer';
import { navigationRecords } from '@/navigation/records';
import { routes } from '@/routing/routes';
import { DialogOverlay } from '@/ui/dialog-overlay';
import { Kbd } from '@/ui/kbd';
import { StatusChip } from '@/ui/status-chip';
import { useFocusReturn } from '@/ui/use-focus-return';
import { PaletteFooter } from './palette-footer';
import { useDeliveryLookup } from './use-delivery-lookup';

const groupClasses =
  '**:[[cmdk-group-heading]]:caps **:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pt-3 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-muted';
const itemClasses =
  'group flex h-9 cursor-pointer items-center gap-3 rounded-control px-2 text-sm select-none data-[selected=true]:bg-accent-soft pointer-coarse:h-11';

// It has no place among the groups of the drawer: there the name of the user leads to it.
const accountLink: VisibleLink = { name: 'account', route: 'account', icon: CircleUser };

export default function PaletteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['shell', 'navigation']);
  const { hasRole } = useAuth();
  const navigate = useNavigate();
  const focusReturn = useFocusReturn();
  const [input, setInput] = useState('');
  const { text, searching, deliveries } = useDeliveryLookup(input);
  const needle = input.trim().toLowerCase();
  const pages = [...visibleGroups(hasRole).flatMap(({ links }) => links), accountLink]
    .map((link) => ({ ...link, label: t(`links.${link.name}`, { ns: 'navigation' }) }))
    .filter(({ label }) => label.toLowerCase().includes(needle));
  const nothing = !searching && pages.length === 0 && deliveries.length === 0;

  function go(address: string) {
    onClose();
    void navigate(address);
  }

  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <DialogOverlay />
        <Dialog.Content
          {...focusReturn}
          className="fixed inset-x-4 top-4 z-50 mx-auto max-w-[640px] animate-appear overflow-hidden rounded-palette border border-line2 bg-surface shadow-dialog focus-visible:outline-none md:top-30"
        >
          <Dialog.Title className="sr-only">{t('palette.title')}</Dialog.Title>
          <Dialog.Description className="sr-only">{t('palette.description')}</Dialog.Description>
          {/* Deliveries are found by the server and pages above: the list must not filter again. */}
          <Command shouldFilter={false} loop label={t('palette.title')}>
            <div className="flex h-14 items-center gap-3 border-b border-line px-4">
              <Search aria-hidden className="size-4.5 shrink-0 text-muted" />
              <Command.Input
                value={input}
                onValueChange={setInput}
                maxLength={64}
                placeholder={t('palette.placeholder')}
                className="h-full min-w-0 flex-1 bg-transparent text-touch outline-none"
              />
              <span aria-hidden>
                <Kbd>Esc</Kbd>
              </span>
            </div>
            <Command.List
              label={t('palette.title')}
              className="max-h-[min(420px,60dvh)] scroll-py-2 overflow-y-auto px-2 pb-2"
            >
              {deliveries.length > 0 && (
                <Command.Group heading={t('palette.deliveries')} className={groupClasses}>
                  {deliveries.map(({ id, customername, deliverystatus }) => (
                    <Command.Item
                      key={id}
                      value={`delivery ${id}`}
                      onSelect={() => go(routes.viewDelivery({ deliveryId: id }))}
                      className={itemClasses}
                    >
                      <Package
                        aria-hidden
                        className="size-4 shrink-0 text-muted group-data-[selected=true]:text-accent"
                      />
                      <span className="font-medium tabular-nums group-data-[selected=true]:text-accent">
                        {id}
                      </span>
                      <span className="min-w-0 flex-1 truncate text-muted">{customername}</span>
                      <StatusChip kind="delivery" status={deliverystatus} />
                      <CornerDownLeft
                        aria-hidden
                        className="hidden size-3.5 shrink-0 text-muted group-data-[selected=true]:block"
                      />
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
              {pages.length > 0 && (
                <Command.Group heading={t('palette.pages')} className={groupClasses}>
                  {pages.map(({ name, label, route, icon: Icon }) => (
                    <Command.Item
                      key={name}
                      value={`page ${name}`}
                      onSelect={() => go(navigationRecords[route].path)}
                      className={itemClasses}
                    >
                      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
                      <span className="font-medium">{label}</span>
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
              {searching && (
                <p className="px-2 pt-3 pb-1 text-sm text-muted">{t('palette.searching')}</p>
              )}
              {nothing && (
                <p className="px-2 py-6 text-center text-sm text-muted">
                  {t('palette.nothing', { text: text || input.trim() })}
                </p>
              )}
            </Command.List>
          </Command>
          <PaletteFooter />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
