"""A model with tensors, its migration, and its values: run by test_drivers.py."""

from __future__ import annotations

import sys

import django
import numpy as np
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": sys.argv[1]}},
    INSTALLED_APPS=["django.contrib.postgres"],
)
django.setup()

from django.core.exceptions import ValidationError  # noqa: E402
from django.db import connection, migrations, models  # noqa: E402
from django.db.migrations.writer import MigrationWriter  # noqa: E402

from sparseeinsum import SparseTensor  # noqa: E402
from sparseeinsum.django import TensorExtension, TensorField  # noqa: E402


class Node(models.Model):
    embedding = TensorField(dtype="float4", rank=1, null=True)
    anything = TensorField(null=True)

    class Meta:
        app_label = "tests"


written, imports = MigrationWriter.serialize(Node._meta.get_field("embedding"))
assert written == "sparseeinsum.django.TensorField(dtype='float4', null=True, rank=1)", written
assert imports == {"import sparseeinsum.django"}, imports
migration = migrations.Migration("0001", "tests")
migration.operations = [TensorExtension()]
with connection.schema_editor() as editor:
    migration.apply(migrations.state.ProjectState(), editor)
    editor.create_model(Node)
try:
    Node.objects.create(id=1, embedding=np.ones(3, np.float32), anything=[[1, 2]])
    Node.objects.create(id=2)
    node = Node.objects.get(embedding=np.ones(3, np.float32))
    assert node.id == 1 and node.embedding.dtype == np.float32 and node.anything.tolist() == [[1, 2]]
    node.anything = SparseTensor((2, 2), ([0], [1]), [3.0])
    node.save()
    assert Node.objects.get(id=1).anything.toarray().tolist() == [[0, 3], [0, 0]]
    field = Node._meta.get_field("anything")
    assert field.to_python(field.value_to_string(node)).nnz == field.to_python(node.anything).nnz == 1
    node.anything = np.array([[1, 2]])
    node.embedding = node.embedding * 2
    node.save()
    assert Node.objects.get(id=1).embedding.tolist() == [2, 2, 2]
    assert Node.objects.get(id=2).embedding is None
    field = Node._meta.get_field("anything")
    assert field.to_python(field.value_to_string(node)).tolist() == [[1, 2]]
    for value in ("[1,", "no tensor", ["a"]):
        try:
            field.to_python(value)
            raise AssertionError(value)
        except ValidationError:
            pass
finally:
    with connection.schema_editor() as editor:
        editor.delete_model(Node)
for arguments in ({"dtype": "float9"}, {"rank": 1}):
    try:
        TensorField(**arguments)
        raise AssertionError(arguments)
    except ValueError:
        pass
