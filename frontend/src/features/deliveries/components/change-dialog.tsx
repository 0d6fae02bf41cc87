import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { usePolling } from '@/data/use-polling';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { bulkChangeQuery, cancelBulkChangeMutation, verbOf } from '../bulk-change-queries';
import { AllProgress } from './all-progress';
import { AllReceipt } from './all-receipt';

const LOOK = 2_000;

interface ChangeDialogProps {
  id: string;
  /** Closed after what came of it was shown. */
  onSeen: () => void;
  onClose: () => void;
}

/** How far a change of all that matched is, or what came of it. */
export default function ChangeDialog({ id, onSeen, onClose }: ChangeDialogProps) {
  const { t } = useTranslation('deliveries-list');
  const [{ data, error }, execute] = useQuery({
    query: bulkChangeQuery,
    variables: { id },
    requestPolicy: 'network-only',
  });
  const [, cancel] = useMutation(cancelBulkChangeMutation);
  const change = data?.bulkChange;
  const isOver = Boolean(change?.finishedAt);
  usePolling(() => execute({ requestPolicy: 'network-only' }), isOver ? undefined : LOOK);
  const title = t(`all.strip.${verbOf(change?.verb ?? '')}`);
  const close = isOver ? onSeen : onClose;
  return (
    <Dialog open onOpenChange={close}>
      <DialogContent
        title={title}
        width={560}
        footer={
          <>
            {change && !isOver && (
              <Button
                aria-disabled={change.cancelRequested || undefined}
                onClick={() => !change.cancelRequested && void cancel({ id })}
              >
                {t(change.cancelRequested ? 'all.cancelling' : 'all.cancel')}
              </Button>
            )}
            <Button variant="primary" onClick={close}>
              {t('common:close')}
            </Button>
          </>
        }
      >
        {change && isOver && <AllReceipt change={change} />}
        {change && !isOver && <AllProgress change={change} title={title} lost={error !== undefined} />}
      </DialogContent>
    </Dialog>
  );
}
