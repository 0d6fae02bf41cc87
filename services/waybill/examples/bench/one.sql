SELECT d.*,
  (SELECT json_agg(i ORDER BY i.item_key) FROM delivery_item AS i WHERE i.delivery_key = d.id_key) AS items,
  (SELECT json_agg(h ORDER BY h.step) FROM delivery_status_history AS h WHERE h.delivery_key = d.id_key) AS history
FROM delivery AS d WHERE d.id_key = :key;
