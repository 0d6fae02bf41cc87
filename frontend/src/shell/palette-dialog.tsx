import { Command } from 'cmdk';
import { Building2, IdCard, LogOut, Moon, Search, Sun } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { routes } from '@/routing/routes';
import { DialogOverlay } from '@/ui/dialog-overlay';
import { Kbd } from '@/ui/kbd';
import { chooseTheme, currentTheme } from '@/ui/theme';
import { useFocusReturn } from '@/ui/use-focus-return';
import { PaletteDelivery } from './palette-delivery';
import { actionsOn, searchesFor } from './palette-entries';
import { PaletteFooter } from './palette-footer';
import { groupClasses, PaletteItem } from './palette-item';
import { palettePages, visibleLinks } from './palette-pages';
import { usePaletteLookup } from './use-palette-lookup';
import { useRecentDeliveries } from './use-recent-deliveries';
import { useSignOut } from './use-sign-out';

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group heading={heading} className={groupClasses}>
      {children}
    </Command.Group>
  );
}

export default function PaletteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['shell', 'navigation']);
  const { hasRole } = useAuth();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const focusReturn = useFocusReturn();
  const [input, setInput] = useState('');
  const { text, searching, deliveries, customers, drivers } = usePaletteLookup(input);
  const recent = useRecentDeliveries();
  const typed = input.trim();
  const needle = typed.toLowerCase();
  const fits = (...texts: (string | undefined)[]) =>
    texts.some((each) => each?.toLowerCase().includes(needle));

  const links = visibleLinks(hasRole);
  const pages = palettePages(links, hasRole, t).filter(({ label, note }) => fits(label, note));
  const searches = searchesFor(typed, links, t);
  const toDark = currentTheme() === 'light';
  const actions = [
    {
      name: 'theme',
      icon: toDark ? Moon : Sun,
      label: t(toDark ? 'theme.toDark' : 'theme.toLight'),
      run: () => chooseTheme(toDark ? 'dark' : 'light'),
    },
    { name: 'logout', icon: LogOut, label: t('logout'), run: () => void signOut() },
  ].filter(({ label }) => fits(label));

  const [first] = deliveries;
  // The first delivery arrives after the pages are shown, and is the likelier choice.
  const [selected, setSelected] = useState('');
  const [seen, setSeen] = useState<string>();
  if (first?.id !== seen) {
    setSeen(first?.id);
    // Unless the text is about a page, which Enter would no longer open.
    const isPage = pages.length + actions.length > 0 && !/\d/.test(typed);
    if (first && !isPage) setSelected(`delivery ${first.id}`);
  }
  const shown = [pages, actions, searches, deliveries, customers, drivers];
  const nothing = !searching && shown.every(({ length }) => length === 0);

  function run(act: () => void) {
    onClose();
    act();
  }
  const go = (address: string) => run(() => void navigate(address));
  const open = (deliveryId: string) => go(routes.viewDelivery({ deliveryId }));

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
          {/* The server finds the records, and the pages are filtered above: the list must not filter again. */}
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
                <Group heading={t('palette.deliveries')}>
                  {deliveries.map((delivery) => (
                    <PaletteDelivery
                      key={delivery.id}
                      delivery={delivery}
                      onSelect={() => open(delivery.id)}
                    />
                  ))}
                </Group>
              )}
              {customers.length > 0 && (
                <Group heading={t('links.customers', { ns: 'navigation' })}>
                  {customers.map(({ customerName, customerAddress }) => (
                    <PaletteItem
                      key={customerName}
                      value={`customer ${customerName}`}
                      icon={Building2}
                      label={customerName}
                      note={customerAddress}
                      onSelect={() => go(routes.viewCustomer({ customerName }))}
                    />
                  ))}
                </Group>
              )}
              {drivers.length > 0 && (
                <Group heading={t('links.drivers', { ns: 'navigation' })}>
                  {drivers.map(({ driverId, name }) => (
                    <PaletteItem
                      key={driverId}
                      value={`driver ${driverId}`}
                      icon={IdCard}
                      label={name}
                      note={driverId}
                      onSelect={() => go(routes.viewDriver({ driverId }))}
                    />
                  ))}
                </Group>
              )}
              {first && (
                <Group heading={t('palette.actionsOn', { id: first.id })}>
                  {actionsOn(first.id, hasRole, t).map(({ name, icon, label, address }) => (
                    <PaletteItem
                      key={name}
                      value={`action ${name}`}
                      {...{ icon, label }}
                      onSelect={() => go(address)}
                    />
                  ))}
                </Group>
              )}
              {!typed && recent.length > 0 && (
                <Group heading={t('palette.recent')}>
                  {recent.map((delivery) => (
                    <PaletteDelivery
                      key={delivery.id}
                      delivery={delivery}
                      onSelect={() => open(delivery.id)}
                    />
                  ))}
                </Group>
              )}
              {pages.length > 0 && (
                <Group heading={t('palette.pages')}>
                  {pages.map(({ name, icon, label, note, address }) => (
                    <PaletteItem
                      key={name}
                      value={`page ${name}`}
                      {...{ icon, label, note }}
                      onSelect={() => go(address)}
                    />
                  ))}
                </Group>
              )}
              {actions.length > 0 && (
                <Group heading={t('palette.more')}>
                  {actions.map(({ name, icon, label, run: act }) => (
                    <PaletteItem
                      key={name}
                      value={`more ${name}`}
                      {...{ icon, label }}
                      onSelect={() => run(act)}
                    />
                  ))}
                </Group>
              )}
              {searches.length > 0 && (
                <Group heading={t('palette.search')}>
                  {searches.map(({ name, icon, label, note, address }) => (
                    <PaletteItem
                      key={name}
                      value={`search ${name}`}
                      {...{ icon, label, note }}
                      onSelect={() => go(address)}
                    />
                  ))}
                </Group>
              )}
              {searching && (
                <p className="px-2 pt-3 pb-1 text-sm text-muted">{t('palette.searching')}</p>
              )}
              {nothing && (
                <p className="px-2 py-6 text-center text-sm text-muted">
                  {t('palette.nothing', { text: text || typed })}
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
