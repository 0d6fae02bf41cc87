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
import { actionsOn, searchesFor } from './palette-entries';
import { PaletteFooter } from './palette-footer';
import { groupClasses, PaletteItem } from './palette-item';
import { useDeliveryLookup } from './use-delivery-lookup';

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
  const links = visibleGroups(hasRole).flatMap((group) => group.links);
  const pages = [...links, accountLink]
    .map((link) => ({ ...link, label: t(`links.${link.name}`, { ns: 'navigation' }) }))
    .filter(({ label }) => label.toLowerCase().includes(needle));
  const searches = searchesFor(input.trim(), links, t);
  const [first] = deliveries;
  // What is found comes after what was there at once, and is what one looks for.
  const [selected, setSelected] = useState('');
  const [seen, setSeen] = useState<string>();
  if (first?.id !== seen) {
    setSeen(first?.id);
    if (first) setSelected(`delivery ${first.id}`);
  }
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
          <Command
            shouldFilter={false}
            loop
            label={t('palette.title')}
            value={selected}
            onValueChange={setSelected}
          >
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
                    <PaletteItem
                      key={id}
                      value={`delivery ${id}`}
                      icon={Package}
                      label={id}
                      note={customername}
                      end={
                        <>
                          <StatusChip kind="delivery" status={deliverystatus} />
                          <CornerDownLeft
                            aria-hidden
                            className="hidden size-3.5 shrink-0 text-muted group-data-[selected=true]:block"
                          />
                        </>
                      }
                      onSelect={() => go(routes.viewDelivery({ deliveryId: id }))}
                    />
                  ))}
                </Command.Group>
              )}
              {first && (
                <Command.Group
                  heading={t('palette.actionsOn', { id: first.id })}
                  className={groupClasses}
                >
                  {actionsOn(first.id, hasRole, t).map(({ name, icon, label, address }) => (
                    <PaletteItem
                      key={name}
                      value={`action ${name}`}
                      {...{ icon, label }}
                      onSelect={() => go(address)}
                    />
                  ))}
                </Command.Group>
              )}
              {pages.length + searches.length > 0 && (
                <Command.Group heading={t('palette.pages')} className={groupClasses}>
                  {pages.map(({ name, label, route, icon }) => (
                    <PaletteItem
                      key={name}
                      value={`page ${name}`}
                      {...{ icon, label }}
                      onSelect={() => go(navigationRecords[route].path)}
                    />
                  ))}
                  {searches.map(({ name, icon, label, note, address }) => (
                    <PaletteItem
                      key={`search ${name}`}
                      value={`search ${name}`}
                      {...{ icon, label, note }}
                      onSelect={() => go(address)}
                    />
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
