import { type FieldError, useController, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ruleMessage } from '@/form/rule-message';
import { PageForm } from '@/form/page-form';
import { useBase } from '@/form/use-base';
import { TextField } from '@/form/text-field';
import { AddressField } from '@/lookups/address-field';
import { ProofField } from '@/proof-rules/proof-field';
import { routes } from '@/routing/routes';
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
  const { control, register } = form;
  const { errors } = form.formState;
  const { failure, conflict, save, forget } = useSaveCustomer(customer, form.setError);
  const base = useBase(customer, form, customerValues);

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
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      conflict={conflict}
      onReload={() => {
        forget();
        onReload();
      }}
      onSubmit={(values) => save(base.version, values)}
      cancelTo={routes.viewCustomer({ customerName: customer.customerName })}
      className="max-w-[560px]"
    >
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
    </PageForm>
  );
}
