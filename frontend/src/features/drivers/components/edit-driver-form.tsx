import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { ConflictNote } from '@/form/conflict-note';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { ruleMessages } from '@/form/rule-message';
import { SubmitButton } from '@/form/submit-button';
import { UnsavedGuard } from '@/form/unsaved-guard';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { driverValues } from '../driver-values';
import type { Driver } from '../queries';
import { useDriverLabels } from '../use-driver-labels';
import { useSaveDriver } from '../use-save-driver';
import { DriverFields } from './driver-fields';

interface EditDriverFormProps {
  driver: Driver;
  /** Reads the driver anew. */
  onReload: () => void;
}

export function EditDriverForm({ driver, onReload }: EditDriverFormProps) {
  const { t } = useTranslation(['drivers', 'common', 'form']);
  const timeZone = useTimeZone();
  const { driverId } = driver;
  const form = useForm({ defaultValues: driverValues(driver, timeZone) });
  const { reset } = form;
  const { errors, isDirty, isSubmitting } = form.formState;
  const { failure, conflict, save, forget } = useSaveDriver(driverId, form.setError);
  const labels = useDriverLabels();
  // What is saved stands on the version the fields were filled from, not on a newer one read since.
  const [base, setBase] = useState(driver);

  useEffect(() => {
    if (isDirty || driver.version <= base.version) return;
    setBase(driver);
    reset(driverValues(driver, timeZone));
  }, [driver, base, isDirty, reset, timeZone]);

  return (
    <Form
      form={form}
      onSubmit={(values) => save(base, values)}
      className="flex max-w-[720px] flex-col gap-4"
    >
      <UnsavedGuard when={isDirty && !isSubmitting} />
      {conflict && (
        <ConflictNote
          conflict={conflict}
          onReload={() => {
            forget();
            reset();
            onReload();
          }}
        />
      )}
      <FormSummary failure={failure} messages={ruleMessages(labels, errors)} />
      <Panel className="flex flex-col gap-4 p-4">
        <DriverFields form={form} />
        <div className="flex gap-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSubmitting}
            disabled={!isDirty}
            size={36}
            label={t('save', { ns: 'common' })}
            busyLabel={t('saving', { ns: 'form' })}
          />
          <Button asChild size={36}>
            <Link to={routes.viewDriver({ driverId })}>{t('cancel', { ns: 'common' })}</Link>
          </Button>
        </div>
      </Panel>
    </Form>
  );
}
