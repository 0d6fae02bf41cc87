import { useEffect, useState } from 'react';
import { type FieldError, useController, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { ConflictNote } from '@/form/conflict-note';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { ruleMessage, ruleMessages } from '@/form/rule-message';
import { SubmitButton } from '@/form/submit-button';
import { TextField } from '@/form/text-field';
import { UnsavedGuard } from '@/form/unsaved-guard';
import { AddressField } from '@/lookups/address-field';
import { ProofField } from '@/proof-rules/proof-field';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { customerValues } from '../customer-values';
import type { Customer } from '../queries';
import { customerRules } from '../rules';
import { useSaveCustomer } from '../use-save-customer';

interface CustomerFormProps {
  customer: Customer;
  /** Reads the customer anew. */
  onReload: () => void;
}

const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

export function CustomerForm({ customer, onReload }: CustomerFormProps) {
  const { t } = useTranslation(['customers', 'common', 'form', 'proof-rules']);
  const form = useForm({ defaultValues: customerValues(customer) });
  const { control, register, reset } = form;
  const { errors, isDirty, isSubmitting } = form.formState;
  const { failure, conflict, save, forget } = useSaveCustomer(customer, form.setError);
  // What is saved stands on the version the fields were filled from, not on a newer one read since.
  const [version, setVersion] = useState(customer.version);

  useEffect(() => {
    if (isDirty || customer.version <= version) return;
    setVersion(customer.version);
    reset(customerValues(customer));
  }, [customer, version, isDirty, reset]);

  // In the order on screen: of several that are wrong, the form focuses the one it met first.
  const email = register('customerEmail', customerRules.customerEmail);
  const { field: address } = useController({ control, name: 'customerAddress' });
  const phone = register('phone', customerRules.phone);
  const code = register('code', customerRules.code);
  const { field: proof } = useController({
    control,
    name: 'podRequirement',
    rules: {
      validate: ({ mode, proofs }) =>
        mode !== 'chosen' || proofs.length > 0 || t('proof-rules:chooseOne'),
    },
  });
  const labels = {
    customerEmail: t('fields.customerEmail'),
    customerAddress: t('fields.customerAddress'),
    phone: t('fields.phone'),
    code: t('fields.code'),
    podRequirement: t('proof-rules:title'),
  };
  const saved = customerValues(customer).customerAddress;

  return (
    <Form
      form={form}
      onSubmit={(values) => save(version, values)}
      className="flex max-w-[560px] flex-col gap-4"
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
        <TextField
          {...email}
          {...verbatim}
          type="email"
          label={labels.customerEmail}
          error={errors.customerEmail}
          optional
        />
        <AddressField
          {...address}
          label={labels.customerAddress}
          error={errors.customerAddress as FieldError | undefined}
          saved={saved}
          optional
        />
        <TextField
          {...phone}
          type="tel"
          autoComplete="off"
          label={labels.phone}
          error={errors.phone}
          optional
        />
        <TextField
          {...code}
          {...verbatim}
          label={labels.code}
          hint={t('edit.codeHint')}
          error={errors.code}
          optional
        />
        <ProofField
          {...proof}
          inheritedLabel={t('proof-rules:inherited.customer')}
          error={ruleMessage(
            labels.podRequirement,
            errors.podRequirement as FieldError | undefined,
          )}
        />
        <div className="flex gap-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSubmitting}
            disabled={!isDirty}
            size={36}
            label={t('common:save')}
            busyLabel={t('form:saving')}
          />
          <Button asChild size={36}>
            <Link to={routes.viewCustomer({ customerName: customer.customerName })}>
              {t('common:cancel')}
            </Link>
          </Button>
        </div>
      </Panel>
    </Form>
  );
}
