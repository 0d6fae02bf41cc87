import { Command } from 'cmdk';
import {
  ArrowDown,
  ArrowUp,
  Building2,
  CornerDownLeft,
  IdCard,
  LogOut,
  type LucideIcon,
  Moon,
  Package,
  Search,
  Sun,
  X,
} from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { useText } from '@/i18n/texts';
import { RESTART } from '@/list/list-origin';
import { routes } from '@/routing/routes';
import { IconButton } from '@/ui/button';
import { DialogOverlay, useFocusReturn } from '@/ui/dialog';
import { StatusChip } from '@/ui/status-chip';
import { Kbd } from '@/ui/tag';
import { chooseTheme, currentTheme } from '@/ui/theme';
import { actionsOn, palettePages, searchesFor, visibleLinks } from './palette-entries';
import { useRecentDeliveries } from './recent-deliveries';
import { type FoundDelivery, usePaletteLookup } from './use-palette-lookup';
import { useSignOut } from './use-sign-out';

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group heading={<span className="caps block px-2 pt-3 pb-1 text-muted">{heading}</span>}>
      {children}
    </Command.Group>
  );
}

interface RecordsProps extends Pick<
  ReturnType<typeof usePaletteLookup>,
  'deliveries' | 'customers' | 'drivers'
> {
  recent: ReturnType<typeof useRecentDeliveries>;
  onGo: (address: string) => void;
}

/** Matching records, actions on the first of them, and recently opened deliveries. */
function Records({ deliveries, customers, drivers, recent, onGo }: RecordsProps) {
  const { t } = useTranslation('shell');
  const textOf = useText();
  const { hasRole } = useAuth();
  const [first] = deliveries;
  const open = (deliveryId: string) => onGo(routes.viewDelivery({ deliveryId }));
  return (
    <>
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
              onSelect={() => onGo(routes.viewCustomer({ customerName }))}
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
              onSelect={() => onGo(routes.viewDriver({ driverId }))}
            />
          ))}
        </Group>
      )}
      {first && (
        <Group heading={t('palette.actionsOn', { id: first.id })}>
          {actionsOn(first.id, hasRole, textOf).map(({ name, icon, label, address }) => (
            <PaletteItem
              key={name}
              value={`action ${name}`}
              {...{ icon, label }}
              onSelect={() => onGo(address)}
            />
          ))}
        </Group>
      )}
      {recent.length > 0 && (
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
    </>
  );
}

export default function PaletteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['shell', 'common']);
  const textOf = useText();
  const { hasRole } = useAuth();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const focusReturn = useFocusReturn();
  const chosen = useRef<() => void>(undefined);
  const [input, setInput] = useState('');
  const { text, searching, deliveries, customers, drivers } = usePaletteLookup(input);
  const recent = useRecentDeliveries();
  const typed = input.trim();
  const needle = typed.toLowerCase();
  const fits = (...texts: (string | undefined)[]) =>
    texts.some((each) => each?.toLowerCase().includes(needle));

  const links = visibleLinks(hasRole);
  const pages = palettePages(links, hasRole, textOf).filter(({ label, note }) => fits(label, note));
  const searches = searchesFor(typed, links, textOf);
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
  // Found deliveries arrive after the pages are listed, but are more likely wanted. So select the first one.
  const [selected, setSelected] = useState('');
  const [seen, setSeen] = useState<string>();
  if (first?.id !== seen) {
    setSeen(first?.id);
    // Enter should open a page or action, however, if one matches and the text has no digits.
    const isPage = pages.length + actions.length > 0 && !/\d/.test(typed);
    if (first && !isPage) setSelected(`delivery ${first.id}`);
  }
  const shown = [pages, actions, searches, deliveries, customers, drivers];
  const nothing = !searching && shown.every(({ length }) => length === 0);

  /** Closes the palette, then acts. */
  function run(act: () => void) {
    chosen.current = act;
    onClose();
  }
  const go = (address: string) => run(() => void navigate(address, { state: RESTART }));

  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <DialogOverlay />
        <Dialog.Content
          {...focusReturn}
          onCloseAutoFocus={(event) => {
            focusReturn.onCloseAutoFocus(event);
            // Act only now: a dialog that opens, for example about unsaved changes, later returns the focus to the
            // element that has it when the dialog opens.
            chosen.current?.();
          }}
          className="fixed inset-x-4 top-4 z-50 mx-auto max-w-[640px] animate-appear overflow-hidden rounded-palette border border-line2 bg-surface shadow-dialog focus-visible:outline-none md:top-30"
        >
          <Dialog.Title className="sr-only">{t('palette.title')}</Dialog.Title>
          <Dialog.Description className="sr-only">{t('palette.description')}</Dialog.Description>
          {/* Records are searched by the server and pages are filtered above, so the list must not filter again. */}
          <Command
            shouldFilter={false}
            loop
            label={t('palette.title')}
            value={selected}
            onValueChange={setSelected}
          >
            <div className="flex h-14 items-center gap-3 border-b border-line px-4 pointer-coarse:pe-14">
              <Search aria-hidden className="size-4.5 shrink-0 text-muted" />
              <Command.Input
                value={input}
                onValueChange={setInput}
                maxLength={64}
                placeholder={t('palette.placeholder')}
                className="h-full min-w-0 flex-1 bg-transparent text-touch outline-none"
              />
              <span aria-hidden className="pointer-coarse:hidden">
                <Kbd>Esc</Kbd>
              </span>
            </div>
            <Command.List
              label={t('palette.title')}
              className="max-h-[min(420px,60dvh)] scroll-py-2 overflow-y-auto px-2 pb-2"
            >
              <Records
                {...{ deliveries, customers, drivers }}
                recent={typed ? [] : recent}
                onGo={go}
              />
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
          {/* On a phone, the palette and the keyboard leave hardly anything beside them to tap. */}
          <span className="absolute end-3 top-3 hidden pointer-coarse:flex">
            <Dialog.Close asChild>
              <IconButton icon={X} label={t('close', { ns: 'common' })} />
            </Dialog.Close>
          </span>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface PaletteDeliveryProps {
  delivery: FoundDelivery;
  onSelect: () => void;
}

function PaletteDelivery({ delivery, onSelect }: PaletteDeliveryProps) {
  const { id, customername, deliverystatus } = delivery;
  return (
    <PaletteItem
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
      onSelect={onSelect}
    />
  );
}

interface PaletteItemProps {
  /** Identifies the entry. */
  value: string;
  icon: LucideIcon;
  label: ReactNode;
  note?: ReactNode;
  end?: ReactNode;
  onSelect: () => void;
}

/** An entry of the palette with icon, label, note and trailing text. */
function PaletteItem({ value, icon: Icon, label, note, end, onSelect }: PaletteItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="group flex h-9 cursor-pointer items-center gap-3 rounded-control px-2 text-sm select-none data-[selected=true]:bg-accent-soft pointer-coarse:h-11"
    >
      <Icon
        aria-hidden
        className="size-4 shrink-0 text-muted group-data-[selected=true]:text-accent"
      />
      <span className="shrink-0 font-medium tabular-nums group-data-[selected=true]:text-accent">
        {label}
      </span>{' '}
      <span className="min-w-0 flex-1 truncate text-muted">{note}</span> {end}
    </Command.Item>
  );
}

function PaletteFooter() {
  const { t } = useTranslation('shell');
  return (
    <div
      aria-hidden
      className="flex h-9 items-center gap-4 border-t border-line bg-raised px-4 text-xs text-muted pointer-coarse:hidden"
    >
      <span className="flex items-center gap-1.5">
        <Kbd>
          <ArrowUp className="size-3" />
        </Kbd>
        <Kbd>
          <ArrowDown className="size-3" />
        </Kbd>
        {t('palette.move')}
      </span>
      <span className="flex items-center gap-1.5">
        <Kbd>
          <CornerDownLeft className="size-3" />
        </Kbd>
        {t('palette.select')}
      </span>
      <span className="flex items-center gap-1.5">
        <Kbd>Esc</Kbd>
        {t('palette.dismiss')}
      </span>
    </div>
  );
}
