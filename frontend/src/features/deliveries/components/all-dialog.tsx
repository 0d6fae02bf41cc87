import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { Form, FormSummary } from '@/form/form';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { type BulkChange, cancelBulkChangeMutation } from '../bulk-change-queries';
import type { ChangeAll } from '../use-change-all';
import { markSeen } from '../seen-changes';
import { AllProgress } from './all-progress';
import { AllReceipt } from './all-receipt';
import { LeftOut } from './left-out';

interface AllDialogProps<Values extends FieldValues> {
  title: string;
  /** What it will do, said before it is asked for. */
  description: string;
  all: ChangeAll;
  form: UseFormReturn<Values>;
  /** Told of a change that ended, once the dialog closes. */
  onEnd?: (change: BulkChange) => void;
  onDone: () => void;
  onClose: () => void;
  /** The fields that ask for what must be known. */
  children: ReactNode;
}

/** The frame of what is done to all that match: asks, says how many fit, shows how far it is, and what came of it. */
export function AllDialog<Values extends FieldValues>(props: AllDialogProps<Values>) {
  const { title, description, all, form, onEnd, onDone, onClose, children } = props;
  const { t } = useTranslation('deliveries-list');
  const [, cancel] = useMutation(cancelBulkChangeMutation);
  const { step, change, busy } = all;

  function close() {
    if (busy) return;
    if (step === 'ended' && change) {
      markSeen(change.id);
      onEnd?.(change);
    }
    if (step === 'ended' || step === 'running') onDone();
    onClose();
  }

  const fitting = change?.changed ?? 0;
  const counts = { count: fitting, shown: formatCount(fitting), total: formatCount(change?.total ?? 0) };
  return (
    <Dialog open onOpenChange={close}>
      <DialogContent
        title={title}
        description={step === 'asking' ? description : undefined}
        width={560}
        staysOpen
        footer={
          step === 'counted' ? (
            <>
              <Button onClick={all.back}>{t('all.back')}</Button>
              <Button
                variant="primary"
                aria-disabled={fitting === 0 || busy || undefined}
                onClick={() => fitting > 0 && void all.start()}
              >
                {t('all.start', counts)}
              </Button>
            </>
          ) : (
            (step === 'running' || step === 'ended') && (
              <>
                {step === 'running' && change && (
                  <Button
                    aria-disabled={change.cancelRequested || undefined}
                    onClick={() => !change.cancelRequested && void cancel({ id: change.id })}
                  >
                    {t(change.cancelRequested ? 'all.cancelling' : 'all.cancel')}
                  </Button>
                )}
                <Button variant="primary" onClick={close}>
                  {t('common:close')}
                </Button>
              </>
            )
          )
        }
      >
        {step === 'asking' && (
          <Form form={form} onSubmit={all.count}>
            <FormSummary failure={all.failure} />
            {children}
            <div className="flex flex-wrap gap-2">
              <Button type="submit" variant="primary" size={36} aria-disabled={busy || undefined}>
                {t(busy ? 'all.counting' : 'all.count')}
              </Button>
              <Button size={36} onClick={onClose}>
                {t('common:cancel')}
              </Button>
            </div>
          </Form>
        )}
        {step === 'counted' && change && (
          <div className="flex flex-col gap-3">
            <FormSummary failure={all.failure} />
            <Note
              tone={fitting > 0 ? 'info' : 'warn'}
              role="status"
              title={fitting > 0 ? t('all.fit', counts) : t('all.none')}
            >
              {fitting === 0 && t('all.noneText')}
            </Note>
            <LeftOut reasons={change.leftOut} />
          </div>
        )}
        {step === 'running' && change && <AllProgress change={change} title={title} lost={all.lost} />}
        {step === 'ended' && change && <AllReceipt change={change} />}
      </DialogContent>
    </Dialog>
  );
}
