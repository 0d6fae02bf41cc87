import {
  CalendarClock,
  CheckCheck,
  Ellipsis,
  ImagePlus,
  ListChecks,
  type LucideIcon,
  PackageCheck,
  PackageX,
  Pencil,
  PhoneOff,
  Printer,
  RotateCcw,
  Truck,
  Undo2,
} from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePageKeys } from '@/list/list-shortcuts';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { routes } from '@/routing/routes';
import { Button, IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { lazyPart } from '@/ui/lazy-part';
import { layOut } from './actions';
import type { Delivery, DeliveryAction } from './delivery-queries';
import type { DialogAction } from './outcomes/action-dialog';

const ActionDialog = lazyPart(() => import('./outcomes/action-dialog'), ({ onClose }) => onClose());

const icons: Record<DeliveryAction, LucideIcon> = {
  edit: Pencil,
  edit_items: ListChecks,
  complete: PackageCheck,
  mark_undelivered: PackageX,
  reject: Undo2,
  reschedule: CalendarClock,
  refuse_after_attempt: PhoneOff,
  reopen: RotateCcw,
  correct_lines: CheckCheck,
  correct_status: RotateCcw,
  assign_driver: Truck,
  add_evidence: ImagePlus,
  print: Printer,
};

/** Single-key shortcuts on this page. Actions that share a key are never allowed at the same time. */
const keyOf: Partial<Record<DeliveryAction, string>> = {
  complete: 'c',
  correct_lines: 'c',
  edit: 'e',
  print: 'p',
};

/** The page of an action, or undefined if it opens a dialog. */
function pageOf(action: DeliveryAction, deliveryId: string): string | undefined {
  switch (action) {
    case 'edit':
    case 'edit_items':
      return routes.editDelivery({ deliveryId });
    case 'complete':
      return routes.editDelivery({ deliveryId, outcome: 'delivered' });
    case 'mark_undelivered':
      return routes.editDelivery({ deliveryId, outcome: 'undelivered' });
    case 'reject':
      return routes.editDelivery({ deliveryId, outcome: 'rejected' });
    case 'correct_lines':
      return routes.editDelivery({ deliveryId, outcome: 'correct' });
    case 'print':
      return routes.viewForm({ deliveryId });
    default:
      return undefined;
  }
}

interface DeliveryActionsProps {
  delivery: Delivery;
  onReload: () => void;
}

/** The actions that the server allows this user for the delivery in its current state. */
export function DeliveryActions({ delivery, onReload }: DeliveryActionsProps) {
  const { t } = useTranslation('deliveries');
  const navigate = useRecordNavigate();
  const [dialog, setDialog] = useState<DialogAction>();
  const { primary, buttons, menu } = layOut(delivery);
  const hasKeys = usePageKeys(
    Object.fromEntries(
      delivery.allowedActions.flatMap((action) => {
        const key = keyOf[action];
        return key === undefined ? [] : [[key, () => start(action)]];
      }),
    ),
  );

  function start(action: DeliveryAction) {
    const page = pageOf(action, delivery.id);
    if (page === undefined) setDialog(action as DialogAction);
    else void navigate(page);
  }

  function button(action: DeliveryAction) {
    const page = pageOf(action, delivery.id);
    const look = {
      icon: icons[action],
      variant: action === primary ? ('primary' as const) : ('default' as const),
    };
    const key = hasKeys ? keyOf[action] : undefined;
    const tip = key && { 'aria-keyshortcuts': key, 'data-tip': t(`actions.${action}`), 'data-tip-keys': key };
    if (page === undefined) {
      return (
        <Button key={action} {...look} {...tip} onClick={() => start(action)}>
          {t(`actions.${action}`)}
        </Button>
      );
    }
    return (
      <Button key={action} asChild {...look}>
        <RecordLink to={page} {...tip}>
          {t(`actions.${action}`)}
        </RecordLink>
      </Button>
    );
  }

  return (
    <>
      {buttons.map(button)}
      {primary && button(primary)}
      {menu.length > 0 && (
        <DropdownMenu>
          <DropdownMenuTrigger asChild>
            <IconButton variant="default" icon={Ellipsis} label={t('actions.more')} />
          </DropdownMenuTrigger>
          <DropdownMenuContent>
            {menu.map((action) => (
              <DropdownMenuItem
                key={action}
                icon={icons[action]}
                onSelect={() => start(action)}
              >
                {t(`actions.${action}`)}
              </DropdownMenuItem>
            ))}
          </DropdownMenuContent>
        </DropdownMenu>
      )}
      {dialog && (
        <Suspense>
          <ActionDialog
            action={dialog}
            delivery={delivery}
            onReload={onReload}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
