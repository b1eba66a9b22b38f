# SPDX-License-Identifier: Apache-2.0
"""chart.py - what a model might write: a table and a workbook become a picture"""
import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402
import pandas  # noqa: E402

sales = pandas.read_csv('sales.csv').merge(pandas.read_excel('prices.xlsx'), on='article')
sales['revenue'] = sales.pieces * sales.price
table = sales.pivot(index='month', columns='article', values='revenue')
print(table)
table.plot(kind='bar', title='Revenue')
plt.tight_layout()
plt.savefig('revenue.png')
open('scratch.txt', 'w', encoding='utf-8').write('not wanted\n')
